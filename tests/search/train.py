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
L2, STEPS, RATE = float(sys.argv[2]) if len(sys.argv) > 2 else 0.003, 3000, 0.05
data = []
for row in rows:
    features = np.array([tool["features"] for tool in row["tools"]]).reshape(-1, size)
    right = np.array([tool["right"] for tool in row["tools"]], dtype=bool)
    data.append((features, right, row["kind"] == "none"))


def adam(gradient, size):
    weights, first, second = np.zeros(size), np.zeros(size), np.zeros(size)
    for step in range(1, STEPS + 1):
        slope = gradient(weights)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def ranking(chosen):
    """Weights of the features, and the last of "none"."""
    chosen = [(f, r, n) for f, r, n in chosen if n or r.any()]
    width = max(len(f) for f, _, _ in chosen)
    block, mask = np.zeros((len(chosen), width, size)), np.zeros((len(chosen), width + 1))
    target = np.zeros((len(chosen), width + 1))
    for at, (f, r, n) in enumerate(chosen):
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
        error = share - among
        slope = np.append(np.einsum("ij,ijk->k", error[:, :width], block), error[:, width].sum()) / len(chosen)
        return slope + L2 * np.append(weights[:size], 0)

    return adam(gradient, size + 1)


def facts(weights, features):
    sums = features @ weights[:size]
    order = np.argsort(-sums, kind="stable")
    second = sums[order[1]] if len(order) > 1 else 0.0
    return order[0], np.concatenate([features[order[0]], [1.0, sums[order[0]] - weights[size], sums[order[0]] - second]])


def trusted(pairs):
    block, right = np.array([f for f, _ in pairs]), np.array([r for _, r in pairs], dtype=float)

    def gradient(weights):
        likely = 1 / (1 + np.exp(-(block @ weights)))
        penalty = weights.copy()
        penalty[size] = 0
        return block.T @ (likely - right) / len(right) + L2 * penalty

    return adam(gradient, size + 3)


folds, pairs, hits = np.arange(len(data)) % 5, [], []
for fold in range(5):
    weights = ranking([one for one, at in zip(data, folds) if at != fold])
    for (f, r, n), at in zip(data, folds):
        if at == fold and len(f):
            best, known = facts(weights, f)
            pairs.append((known, bool(r[best])))
            if not n:
                order = np.argsort(-(f @ weights[:size]), kind="stable")
                hits.append((bool(r[order[0]]), bool(r[order[:5]].any())))
whole, trust = ranking(data), trusted(pairs)
print("left out: hit@1 %.3f hit@5 %.3f" % tuple(np.mean(hits, axis=0)), file=sys.stderr)
likely = [1 / (1 + np.exp(-(f @ trust))) for f, _ in pairs]
for floor in (0.3, 0.4, 0.5, 0.6):
    taken = [(l >= floor, r) for l, (_, r) in zip(likely, pairs)]
    print("floor %.1f: taken %.2f, of which right %.2f, right ones refused %.2f" % (
        floor, np.mean([t for t, _ in taken]), np.mean([r for t, r in taken if t] or [0]), np.mean([not t for t, r in taken if r])), file=sys.stderr)
# What the sentences cannot teach, set by hand: nobody has used anything (half a point turns ties, and little else), none of them is the
# name of a tool and no more, and there is no model of embeddings.
SET = {("tool", "exact name"): 3.0, ("trust", "exact name"): 2.0, ("tool", "usage"): 0.5, ("tool", "embedding"): 6.0, ("trust", "embedding"): 3.0}
for name, weight in zip(names, whole):
    print(f"tool\t{name}\t{SET.get(('tool', name), weight):.4f}")
print(f"none\tbias\t{whole[size]:.4f}")
for name, weight in zip(names + ["bias", "score", "margin"], trust):
    print(f"trust\t{name}\t{SET.get(('trust', name), weight):.4f}")
