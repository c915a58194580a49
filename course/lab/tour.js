"use strict";
// The guided tour: what to see and what to change, in the order of notebook 13. lab.js leads it.

const RIDDLE = "The animal didn't cross the street because it was too ";
const NOUN_FINDER = { layer: "encoder.layers.1.self_attn", head: 2 };
const COUNTER = { layer: "decoder.layers.1.cross_attn", head: 0 };
const BEAUTY = { layer: "decoder.layers.0.cross_attn", head: 3 };

// state: what the laboratory shows. change: what the reader is asked to do; meant: where.
const TOUR = [
  {
    title: "A riddle",
    text:
      "Who is too tired? English doesn't say. Spanish must: cansado goes with the animal, cansada " +
      "with the street. In this head, “tired” attends to “animal”, with all its weight.",
    state: { text: `${RIDDLE}tired`, ...NOUN_FINDER, query: 11 },
  },
  {
    title: "Two numbers change places",
    text:
      "Take the round end of the thick line, at “animal”, and put it on “street”. With a keyboard: " +
      "“Take me there”, then the arrow down five times.",
    state: { text: `${RIDDLE}tired`, ...NOUN_FINDER, query: 11 },
    change: { kind: "swap", ...NOUN_FINDER, query: 11, from: 1, to: 6 },
    meant: ".av-lines",
    done: "Cansada: now the street is tired. The sentence is the same; two numbers are not.",
  },
  {
    title: "Where gustan gets its n",
    text:
      "Many trees are liked, so gustan ends in n. While it is written, three of these heads look at " +
      "“like”, and one attends to “trees”. Switch that one off: head 0.",
    state: { text: "I like trees", ...COUNTER, query: 1 },
    change: { kind: "off", ...COUNTER },
    meant: ".av-heads",
    done: "Me gusta los árboles: without this head, nobody counts the trees.",
  },
  {
    title: "A sharp head that does nothing",
    text:
      "While “árboles” is written, head 3 of the layer below points at “trees”, sharp and beautiful. " +
      "Switch it off: head 3.",
    state: { text: "I like trees", ...BEAUTY, query: 3 },
    change: { kind: "off", ...BEAUTY },
    meant: ".av-heads",
    done:
      "Nothing changes: other heads look there too. A picture shows what could matter; only a change " +
      "shows what does.",
  },
  {
    title: "Now you",
    text:
      "Write a sentence of your own. Move lines, pull at the bars, switch heads off, or take the tick " +
      "from a word that may not be looked at. “Copy link” keeps what you found.",
    state: {
      text: "The trophy didn't fit in the box because it was too small",
      ...NOUN_FINDER,
      query: 12,
    },
  },
];
