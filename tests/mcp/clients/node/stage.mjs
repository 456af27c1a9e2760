// A server with its origin and a proxy in front, run by ../python/stage.py, and one that a client starts itself.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [binary, stage] = process.argv.slice(2);
export { binary };

// Gives a stage to the body, and ends it afterwards.
export async function onStage(kind, flags, body) {
  const child = spawn('python3', [stage, binary, kind, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const waiting = new Map();
  const ended = new Promise(resolve => child.once('exit', resolve));
  let next = 0;
  try {
    const first = new Promise((resolve, reject) => {
      lines.once('line', line => resolve(JSON.parse(line)));
      child.once('exit', code => reject(new Error(`the stage ended with ${code}`)));
    });
    const told = await first;
    lines.on('line', line => {
      const { id, value } = JSON.parse(line);
      waiting.get(id)(value);
    });
    const act = command =>
      new Promise(resolve => {
        waiting.set(++next, resolve);
        child.stdin.write(`${next} ${command}\n`);
      });
    return await body({ ...told, act });
  } finally {
    child.stdin.end();
    await ended;
  }
}

// Gives the body how a client starts a server, in a folder of its own. The demo tracker answers there.
export async function asProcess(body) {
  const home = await mkdtemp(join(tmpdir(), 'intentbox-clients-'));
  try {
    return await body({
      command: binary,
      args: ['mcp', '--log', 'info'],
      env: { HOME: home, PATH: process.env.PATH },
      cwd: home,
      stderr: 'pipe',
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

// Waits for a line of a stream that fits.
export const line = (stream, fits) =>
  new Promise((resolve, reject) => {
    const lines = createInterface({ input: stream });
    lines.on('line', text => fits(text) && resolve(text));
    lines.once('close', () => reject(new Error('the log ended')));
  });
