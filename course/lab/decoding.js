"use strict";
// From logits to words: greedy, beam search, and drawing at random. As in transformer_lib/decoding/.

const [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];
const MAX_LENGTH = 64;

function log_softmax(logits) {
  let largest = -Infinity;
  for (const logit of logits) largest = Math.max(largest, logit);
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - largest);
  return logits.map((logit) => logit - largest - Math.log(sum));
}

/** One unfinished translation: what the decoder has written so far. */
class Prefix {
  constructor(model, src, memory = model.encode(src)) {
    this.model = model;
    this.memory = memory;
    this.words = [BOS];
    this.caches = model.new_caches();
  }

  /** The logit of each word to come next; -Infinity for <pad> and <bos>. */
  next_logits() {
    const logits = this.model.decode_step(this.words.at(-1), this.memory, this.caches);
    logits[PAD] = logits[BOS] = -Infinity;
    return logits;
  }

  /** The same beginning with one more word. */
  then(word) {
    const longer = Object.assign(Object.create(Prefix.prototype), this);
    longer.words = [...this.words, word];
    longer.caches = this.caches.map((pair) => pair.map((cache) => cache.copy()));
    return longer;
  }
}

/**
 * Word after word until <eos>, each as `choose(logits, place)` says.
 *
 * -> { ids, without <bos> and <eos>; log_prob, of them and <eos>, in nats; steps: for each place
 * (<eos> included) its logits }
 */
function decode(model, src, choose, max_length = MAX_LENGTH) {
  let prefix = new Prefix(model, src);
  const steps = [];
  let log_prob = 0;
  while (steps.length < max_length) {
    const logits = prefix.next_logits();
    const word = choose(logits, steps.length);
    steps.push(logits);
    log_prob += log_softmax(logits)[word];
    prefix = prefix.then(word);
    if (word === EOS) break;
  }
  return { ids: prefix.words.slice(1).filter((word) => word !== EOS), log_prob, steps };
}

/** The likeliest next word, again and again. */
function greedy_decode(model, src, max_length = MAX_LENGTH) {
  return decode(model, src, argmax, max_length);
}

/** Exactly these words: what the model looks at, and how likely each of them is. */
function forced_decode(model, src, ids, max_length = MAX_LENGTH) {
  const choose = (_, place) => (place < ids.length ? ids[place] : EOS);
  return decode(model, src, choose, max_length);
}

function argmax(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
  return best;
}

/** ((5 + length) / 6) ^ alpha evens out that longer sentences are less likely (Wu et al. 2016). */
function penalty(length, alpha) {
  return ((5 + length) / 6) ** alpha;
}

/**
 * The best translations found when the beam_size likeliest beginnings are followed at a time.
 *
 * -> { hypotheses: best first, { ids, log_prob, score, finished }; tree: every beginning that was
 * kept, { words, log_prob, probability of its last word, ended } }
 */
function beam_search(model, src, { beam_size = 4, length_penalty = 0.6, max_length = MAX_LENGTH }) {
  const found = [];
  const tree = [];
  const finish = ({ prefix, log_prob }, finished) => {
    const words = prefix.words.slice(1);
    const score = log_prob / penalty(words.length, length_penalty);
    found.push({ ids: words.filter((word) => word !== EOS), log_prob, score, finished });
  };
  let beginnings = [{ prefix: new Prefix(model, src), log_prob: 0 }];
  for (let place = 0; place < max_length && beginnings.length; place++) {
    const places = beam_size - found.length; // a finished one keeps its place
    const every = beginnings.flatMap(({ prefix, log_prob }) =>
      likeliest(log_softmax(prefix.next_logits()), places).map(([word, more]) => ({
        prefix,
        word,
        more,
        log_prob: log_prob + more,
      })),
    );
    const chosen = every.sort((a, b) => b.log_prob - a.log_prob).slice(0, places);
    beginnings = [];
    for (const { prefix, word, more, log_prob } of chosen) {
      const longer = { prefix: prefix.then(word), log_prob };
      const ended = word === EOS;
      tree.push({
        words: longer.prefix.words.slice(1),
        log_prob,
        probability: Math.exp(more),
        ended,
      });
      if (ended) finish(longer, true);
      else beginnings.push(longer);
    }
  }
  beginnings.forEach((one) => finish(one, false));
  const hypotheses = found.sort((a, b) => b.finished - a.finished || b.score - a.score);
  return { hypotheses, tree };
}

/** The `count` words with the largest numbers, best first: [word, number] each. */
function likeliest(numbers, count) {
  const best = [];
  numbers.forEach((number, word) => {
    if (number === -Infinity || (best.length === count && number <= best.at(-1)[1])) return;
    const place = best.findIndex(([, other]) => number > other);
    best.splice(place < 0 ? best.length : place, 0, [word, number]);
    best.length = Math.min(best.length, count);
  });
  return best;
}

/** softmax(logits / temperature): below 1 the likely words gain, above 1 the others. */
function sampling_distribution(logits, temperature = 1) {
  const best = logits[argmax(logits)]; // taken off first: no temperature is too low
  return softmax(Float64Array.from(logits, (logit) => (logit - best) / temperature));
}

/** Words drawn at random. uniform: a function that gives a new number from 0 to 1 at each call. */
function sample_decode(
  model,
  src,
  { temperature = 1, uniform = Math.random, max_length = MAX_LENGTH },
) {
  return decode(model, src, (logits) => draw(sampling_distribution(logits, temperature), uniform()), max_length);
}

/** Laid side by side, the probabilities fill the line from 0 to 1; on whose part does lot fall? */
function draw(probabilities, lot) {
  let end = 0;
  const word = probabilities.findIndex((share) => (end += share) > lot);
  return word < 0 ? argmax(probabilities) : word; // the sum is 1 but for the last digits
}

/** The same numbers for the same seed (mulberry32). */
function uniform_numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
