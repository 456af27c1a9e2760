"""Trains the weights of the search on the features of the tuning half: `tests/search/run --dump FILE`, then
`python3 tests/search/train.py FILE > runtime/search/src/weights.tsv`. Needs numpy.

Two linear models: one shares 1 among the tools and the answer "none", the other says how likely the best tool is right. The second
sees ranks of the first that were trained without the sentence (five folds)."""
import json, sys
import numpy as np

lines = open(sys.argv[1]).read().splitlines()
names = json.loads(lines[0])["features"]
rows = [json.loads(line) for line in lines[1:]]
size = len(names)
L2, STEPS, RATE = float(sys.argv[2]) if len(sys.argv) > 2 else 0.003, 600, 0.1
data, counts, numbers = [], [], []
for row in rows:
    features = np.array([tool["features"] for tool in row["tools"]]).reshape(-1, size)
    right = np.array([tool["right"] for tool in row["tools"]], dtype=bool)
    data.append((features, right, row["kind"] == "none"))
    counts.append(row["weight"])
    numbers.append(row["number"])


def adam(gradient, size):
    weights, first, second = np.zeros(size), np.zeros(size), np.zeros(size)
    for step in range(1, STEPS + 1):
        slope = gradient(weights)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def ranking(chosen):
    """Weights of the features, and the last of "none", from sentences by their numbers."""
    chosen = [(*data[at], counts[at]) for at in chosen if data[at][2] or data[at][1].any()]
    weight = np.array([count for *_, count in chosen], dtype=float)
    weight /= weight.sum()
    width = max(len(f) for f, *_ in chosen)
    block, mask = np.zeros((len(chosen), width, size)), np.zeros((len(chosen), width + 1))
    target = np.zeros((len(chosen), width + 1))
    for at, (f, r, n, _) in enumerate(chosen):
        block[at, : len(f)], mask[at, : len(f)], mask[at, width] = f, 1, 1
        if n:
            target[at, width] = 1
        else:
            target[at, : len(f)] = r / r.sum()

    def gradient(weights):
        sums = np.concatenate([block @ weights[:size], np.full((len(chosen), 1), weights[size])], axis=1)
        sums = np.where(mask > 0, sums, -1e9)
        share = np.exp(sums - sums.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        # Any of the right ones will do.
        among = share * (target > 0)
        among /= np.maximum(among.sum(axis=1, keepdims=True), 1e-12)
        error = (share - among) * weight[:, None]
        slope = np.append(np.einsum("ij,ijk->k", error[:, :width], block), error[:, width].sum())
        return slope + L2 * np.append(weights[:size], 0)

    return adam(gradient, size + 1)


def facts(weights, features):
    sums = features @ weights[:size]
    order = np.argsort(-sums, kind="stable")
    second = sums[order[1]] if len(order) > 1 else 0.0
    return order[0], np.concatenate([features[order[0]], [1.0, sums[order[0]] - weights[size], sums[order[0]] - second]])


def trusted(pairs):
    block, right = np.array([f for f, *_ in pairs]), np.array([r for _, r, _ in pairs], dtype=float)
    weight = np.array([count for *_, count in pairs], dtype=float)
    weight /= weight.sum()

    def gradient(weights):
        likely = 1 / (1 + np.exp(-(block @ weights)))
        penalty = weights.copy()
        penalty[size] = 0
        return block.T @ ((likely - right) * weight) + L2 * penalty

    return adam(gradient, size + 3)


# A sentence is left out with all parts of the servers.
folds, pairs, sentences, none, hits = np.array(numbers) % 5, [], [], [], []
for fold in range(5):
    weights = ranking(np.flatnonzero(folds != fold))
    for (f, r, n), count, number, at in zip(data, counts, numbers, folds):
        if at == fold and len(f):
            best, known = facts(weights, f)
            pairs.append((known, bool(r[best]), count))
            none.append(n)
            sentences.append(number)
            if not n:
                order = np.argsort(-(f @ weights[:size]), kind="stable")
                hits.append((bool(r[order[0]]), bool(r[order[:5]].any())))
whole, trust = ranking(range(len(data))), trusted(pairs)
print("left out: hit@1 %.3f hit@5 %.3f" % tuple(np.mean(hits, axis=0)), file=sys.stderr)
# Trust in sentences that it was not trained on, by other folds than above.
likely = np.zeros(len(pairs))
for fold in range(7):
    left = np.array(sentences) % 7 == fold
    weights = trusted([pair for pair, out in zip(pairs, left) if not out])
    likely[left] = [1 / (1 + np.exp(-(f @ weights))) for (f, *_), out in zip(pairs, left) if out]
right, none = np.array([r for _, r, _ in pairs]), np.array(none)
for floor in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75):
    taken = likely >= floor
    print("floor %.2f: taken %.2f, of which right %.2f, right ones refused %.2f, rightly none %.2f" % (
        floor, taken[~none].mean(), right[taken].mean(), 1 - taken[right].mean(), 1 - taken[none].mean()), file=sys.stderr)
# What the sentences cannot teach, set by hand: nobody has used anything (half a point turns ties, and little else), none of them is the
# name of a tool and no more, and there is no model of embeddings.
SET = {("tool", "exact name"): 3.0, ("trust", "exact name"): 2.0, ("tool", "usage"): 0.5, ("tool", "embedding"): 6.0, ("trust", "embedding"): 3.0}
for name, weight in zip(names, whole):
    print(f"tool\t{name}\t{SET.get(('tool', name), weight):.4f}")
print(f"none\tbias\t{whole[size]:.4f}")
for name, weight in zip(names + ["bias", "score", "margin"], trust):
    print(f"trust\t{name}\t{SET.get(('trust', name), weight):.4f}")
