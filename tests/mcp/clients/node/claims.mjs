// Claims: each either holds or says what differed. One line is printed for each, as ../python/claims.py does.

export const PATIENCE_MS = 60_000; // Nothing here takes this long unless it hangs.

let failed = 0;

class Differs extends Error {}

export const brief = value => {
  const text = value instanceof Error ? `${value.name}: ${value.message}` : (JSON.stringify(value) ?? String(value));
  return text.length <= 400 ? text : `${text.slice(0, 400)}…`;
};

// Fails unless the condition is true, and shows what was found.
export function holds(what, condition, found) {
  if (!condition) throw new Differs(`${what}: ${brief(found)}`);
}

// JSON with its keys in order.
const canonical = value =>
  JSON.stringify(value, (_, inner) =>
    inner && typeof inner === 'object' && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner
  );

// Fails unless both are the same JSON.
export function equal(what, found, expected) {
  if (canonical(found) !== canonical(expected)) throw new Differs(`${what} is ${brief(found)}, not ${brief(expected)}`);
}

function tell(name, differed) {
  failed += differed === null ? 0 : 1;
  console.log(differed === null ? `ok ${name}` : `not ok ${name}: ${differed}`);
}

// Checks one claim and prints whether it holds.
export async function hold(name, claim) {
  let timer;
  const late = new Promise(resolve => {
    timer = setTimeout(() => resolve(`it hangs: nothing after ${PATIENCE_MS / 1000} s`), PATIENCE_MS);
  });
  const checked = claim().then(() => null, error => (error instanceof Differs ? error.message : brief(error)));
  tell(name, await Promise.race([checked, late]));
  clearTimeout(timer);
}

// Runs a program of claims. It exits 1 if one of them does not hold.
export async function main(program) {
  // A client that reports the loss of a connection to nobody: the claim says what its call came to.
  process.on('unhandledRejection', error => console.error('unhandled:', error));
  await program().catch(error => tell('the_program_comes_to_its_end', brief(error)));
  process.exit(failed ? 1 : 0);
}
