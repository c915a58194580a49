"use strict";
// Look inside a model while it runs, and change one thing to see what depends on it: as in
// transformer_lib/interpret/recording.py and the edits of transformer_lib/interpret/patching.py.
//
// A change is a plain object, so that it can be shared as a link:
//
//   { kind: "swap", layer, head, query, from, to }   two numbers of one row of one head change
//       places
//   { kind: "set", layer, head, query, key, weight }   one number gets this weight; the others of
//       its row share the rest, in proportion
//   { kind: "off", layer, head }   the head contributes nothing (`switch_off`)
//   { kind: "bar", layer, query, key }   in no head does this word see that one; what it saw there
//       goes to the other words (`forbid`)

/** One change, made to one row of weights. */
function change_row(change, weights) {
  if (change.kind === "off") weights.fill(0);
  if (change.kind === "swap") {
    const { from, to } = change;
    [weights[from], weights[to]] = [weights[to], weights[from]];
  }
  if (change.kind === "set") {
    const others = 1 - weights[change.key];
    const rest = 1 - change.weight;
    weights.forEach((weight, j) => {
      weights[j] = others > 1e-9 ? (weight / others) * rest : rest / (weights.length - 1);
    });
    weights[change.key] = change.weight;
  }
  if (change.kind === "bar") {
    weights[change.key] = 0;
    const left = Math.max(
      weights.reduce((sum, weight) => sum + weight, 0),
      1e-9,
    );
    weights.forEach((weight, j) => (weights[j] = weight / left));
  }
}

/** Does the change speak of this row, and of keys that it has? */
function concerns(change, layer, head, query, keys) {
  const places = [change.from, change.to, change.key].filter((place) => place !== undefined);
  return (
    change.layer === layer &&
    (change.head ?? head) === head &&
    (change.query ?? query) === query &&
    places.every((place) => place < keys)
  );
}

/**
 * What run() returns, while the model's attention is changed and recorded.
 *
 * -> { result, weights: { layer: [head][query] -> { computed, used } } }. `computed` is what the
 * layer arrived at, before the changes.
 */
function with_attention(model, changes, run) {
  const weights = {};
  const hook = (layer, head, query, row) => {
    const computed = row.slice();
    for (const change of changes) {
      if (concerns(change, layer, head, query, row.length)) change_row(change, row);
    }
    weights[layer] ??= [];
    weights[layer][head] ??= [];
    weights[layer][head][query] = { computed, used: row };
  };
  const layers = model.attention_layers();
  for (const layer of layers) layer.hook = hook;
  try {
    return { result: run(), weights };
  } finally {
    for (const layer of layers) layer.hook = null;
  }
}
