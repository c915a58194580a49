"use strict";
// The guided tour: what to see and what to change, in the order of notebook 13. lab.js leads it,
// with the words of texts.toml.

const RIDDLE = "The animal didn't cross the street because it was too ";
const NOUN_FINDER = { layer: "encoder.layers.1.self_attn", head: 2 };
const COUNTER = { layer: "decoder.layers.1.cross_attn", head: 0 };
const BEAUTY = { layer: "decoder.layers.0.cross_attn", head: 3 };

// state: what the laboratory shows. change: what the reader is asked to do; meant: where.
const TOUR = [
  { state: { text: `${RIDDLE}tired`, ...NOUN_FINDER, query: 11 } },
  {
    state: { text: `${RIDDLE}tired`, ...NOUN_FINDER, query: 11 },
    change: { kind: "swap", ...NOUN_FINDER, query: 11, from: 1, to: 6 },
    meant: ".av-lines",
  },
  {
    state: { text: "I like trees", ...COUNTER, query: 1 },
    change: { kind: "off", ...COUNTER },
    meant: ".av-heads",
  },
  {
    state: { text: "I like trees", ...BEAUTY, query: 3 },
    change: { kind: "off", ...BEAUTY },
    meant: ".av-heads",
  },
  {
    state: {
      text: "The trophy didn't fit in the box because it was too small",
      ...NOUN_FINDER,
      query: 12,
    },
  },
];
