"use strict";
// The Transformer in plain JavaScript, in the order in which data flows. Names are those of the
// Python library (transformer_lib), underscores and all, so that each has its twin there:
//
//   read_safetensors    files.py         the trained numbers
//   Embeddings          embedding.py     ids -> vectors
//   attention_weights   attention.py     who looks at whom
//   SublayerConnection  layers.py        residual sum and layer norm
//   Encoder, Decoder    encoder.py, decoder.py
//   Transformer         transformer.py   the whole
//
// It reads one sentence at a time, so there is no padding, and writes one word at a time, so the
// causal mask needs no code: the words to come are not there yet. Dropout is for training only.
// Letters: s source words, t target words, h heads, d_k = d_model / h.

// --- numbers in rows and columns -----------------------------------------------------------------

class Matrix {
  constructor(rows, cols, data = new Float32Array(rows * cols)) {
    this.rows = rows;
    this.cols = cols;
    this.data = data;
  }

  row(i) {
    return this.data.subarray(i * this.cols, (i + 1) * this.cols);
  }

  /** All rows: views of the same numbers. */
  as_list() {
    return Array.from({ length: this.rows }, (_, i) => this.row(i));
  }
}

/** x W^T + b: (s, in) and W (out, in) -> (s, out), as torch.nn.Linear. */
function linear(x, weight, bias = null) {
  const y = new Matrix(x.rows, weight.rows);
  const w = weight.data;
  const last = weight.rows - 1;
  const [xs, ys] = [x.as_list(), y.as_list()];
  // Four rows of W at a time: each number of x is fetched once for four products, and these rows
  // stay at hand for all rows of x.
  for (let j = 0; j <= last; j += 4) {
    const w0 = j * x.cols;
    const w1 = Math.min(j + 1, last) * x.cols;
    const w2 = Math.min(j + 2, last) * x.cols;
    const w3 = Math.min(j + 3, last) * x.cols;
    for (let i = 0; i < xs.length; i++) {
      const [from, to] = [xs[i], ys[i]];
      let y0 = 0;
      let y1 = 0;
      let y2 = 0;
      let y3 = 0;
      for (let n = 0; n < from.length; n++) {
        const number = from[n];
        y0 += number * w[w0 + n];
        y1 += number * w[w1 + n];
        y2 += number * w[w2 + n];
        y3 += number * w[w3 + n];
      }
      to[j] = y0;
      to[j + 1] = y1; // what would stand behind the end of the row is written nowhere
      to[j + 2] = y2;
      to[j + 3] = y3;
    }
  }
  if (bias) for (const to of ys) to.forEach((number, j) => (to[j] = number + bias.data[j]));
  return y;
}

/** x + y, number by number. */
function add(x, y) {
  const sum = new Matrix(x.rows, x.cols);
  for (let i = 0; i < sum.data.length; i++) sum.data[i] = x.data[i] + y.data[i];
  return sum;
}

/** exp(x_i) / sum of all exp(x_j); the largest is taken off first, so that nothing overflows. */
function softmax(scores) {
  let largest = -Infinity;
  for (const score of scores) largest = Math.max(largest, score);
  const shares = scores.map((score) => Math.exp(score - largest));
  let sum = 0;
  for (const share of shares) sum += share;
  return shares.map((share) => share / sum);
}

// --- files.py ------------------------------------------------------------------------------------

/** The bytes of a safetensors file -> { name: Matrix }; a vector is a matrix of one row. */
function read_safetensors(buffer) {
  const header_size = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, header_size)));
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const read = {
      F32: (bytes) => new Float32Array(bytes),
      F16: from_halves,
      I8: (bytes) => Float32Array.from(new Int8Array(bytes)),
    }[dtype];
    if (!read) throw new Error(`${name} holds ${dtype} numbers, not F32, F16 or I8`);
    const [start, end] = data_offsets.map((offset) => 8 + header_size + offset);
    const [cols, rows = 1] = [...shape].reverse();
    tensors[name] = new Matrix(rows, cols, read(buffer.slice(start, end)));
  }
  // Of a matrix in 8 bits each row was divided by its scale.
  for (const [name, { data }] of Object.entries(tensors)) {
    const matrix = name.endsWith(".scale") && tensors[name.slice(0, -".scale".length)];
    if (matrix) matrix.as_list().forEach((row, i) => row.forEach((n, j) => (row[j] = n * data[i])));
  }
  return tensors;
}

/** Numbers of 16 bits, a sign, 5 bits of exponent and 10 of fraction, as numbers of 32. */
function from_halves(bytes) {
  from_halves.table ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => {
    const [exponent, fraction] = [(bits >> 10) & 31, (bits & 1023) / 1024];
    const size =
      exponent === 31
        ? fraction
          ? NaN
          : Infinity
        : exponent
          ? 2 ** (exponent - 15) * (1 + fraction)
          : 2 ** -14 * fraction;
    return bits >> 15 ? -size : size;
  });
  const halves = new Uint16Array(bytes);
  const numbers = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) numbers[i] = from_halves.table[halves[i]];
  return numbers;
}

// --- embedding.py --------------------------------------------------------------------------------

/** PE(pos, 2i) = sin(pos / base^(2i / d_model)), PE(pos, 2i+1) = cos(the same)  (section 3.5). */
function positional_encoding(pos, d_model, base = 10000) {
  const encoding = new Float32Array(d_model);
  for (let i = 0; i < d_model / 2; i++) {
    const angle = pos / base ** (i / (d_model / 2));
    encoding[2 * i] = Math.sin(angle);
    encoding[2 * i + 1] = Math.cos(angle);
  }
  return encoding;
}

/** embedding(word) * sqrt(d_model), plus the vector of its position  (sections 3.4 and 3.5). */
class Embeddings {
  constructor(table) {
    this.table = table;
    this.scale = Math.sqrt(table.cols);
  }

  /** Ids of words that stand at positions start, start + 1, ... -> (s, d_model). */
  forward(ids, start = 0) {
    const x = new Matrix(ids.length, this.table.cols);
    ids.forEach((id, i) => {
      const word = this.table.row(id);
      const position = positional_encoding(start + i, x.cols);
      x.row(i).set(word.map((number, j) => number * this.scale + position[j]));
    });
    return x;
  }
}

// --- attention.py --------------------------------------------------------------------------------

/** softmax(q K^T / sqrt(d_k)): how much one query looks at each key  (Equation 1, left part). */
function attention_weights(q, keys) {
  const scores = new Float32Array(keys.length);
  keys.forEach((k, j) => {
    let product = 0;
    for (let i = 0; i < q.length; i++) product += q[i] * k[i];
    scores[j] = product / Math.sqrt(q.length);
  });
  return softmax(scores);
}

/** MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O  (section 3.2.2). */
class MultiHeadAttention {
  constructor(name, tensors, h) {
    this.name = name; // such as "encoder.layers.1.self_attn"
    this.h = h;
    for (const part of ["w_q", "w_k", "w_v", "w_o"]) this[part] = tensors[`${name}.${part}.weight`];
    // hook(name, head, query, weights) is shown each row of weights, right after the softmax, and
    // may change it. What it leaves there is what the model goes on with: see recording.js.
    this.hook = null;
  }

  /** query (q, d_model), key and value (k, d_model) -> (q, d_model). start: place of query 0. */
  forward(query, key, value, { start = 0, cache = null } = {}) {
    const q = linear(query, this.w_q);
    const [k, v] = cache ? cache.read(this, key, value) : this.keys_and_values(key, value);
    const heads = new Matrix(q.rows, q.cols); // side by side: head i writes into its d_k columns
    const d_k = q.cols / this.h;
    for (let head = 0; head < this.h; head++) {
      const part = (rows) => rows.map((row) => row.subarray(head * d_k, (head + 1) * d_k));
      const keys = part(k);
      const values = part(v);
      for (let i = 0; i < q.rows; i++) {
        const [one] = part([q.row(i)]);
        const weights = attention_weights(one, keys);
        if (this.hook) this.hook(this.name, head, start + i, weights);
        const [mean] = part([heads.row(i)]);
        values.forEach((value, j) => {
          for (let n = 0; n < d_k; n++) mean[n] += weights[j] * value[n];
        });
      }
    }
    return linear(heads, this.w_o);
  }

  /** A list of rows each, so that a cache can add to it. */
  keys_and_values(key, value) {
    return [linear(key, this.w_k).as_list(), linear(value, this.w_v).as_list()];
  }
}

// --- layers.py -----------------------------------------------------------------------------------

/** FFN(x) = max(0, x W_1 + b_1) W_2 + b_2  (Equation 2). */
class PositionwiseFeedForward {
  constructor(name, tensors) {
    for (const part of ["w_1", "w_2"]) {
      this[part] = [tensors[`${name}.${part}.weight`], tensors[`${name}.${part}.bias`]];
    }
  }

  forward(x) {
    const inner = linear(x, ...this.w_1);
    inner.data.forEach((number, i) => (inner.data[i] = Math.max(0, number)));
    return linear(inner, ...this.w_2);
  }
}

/** Each row brought to mean 0 and variance 1, then scaled and shifted. */
class LayerNorm {
  constructor(name, tensors) {
    this.weight = tensors[`${name}.weight`].data;
    this.bias = tensors[`${name}.bias`].data;
  }

  forward(x) {
    const y = new Matrix(x.rows, x.cols);
    for (let i = 0; i < x.rows; i++) {
      const row = x.row(i);
      const mean = row.reduce((sum, number) => sum + number, 0) / x.cols;
      const variance = row.reduce((sum, number) => sum + (number - mean) ** 2, 0) / x.cols;
      const size = Math.sqrt(variance + 1e-5);
      y.row(i).set(row.map((n, j) => ((n - mean) / size) * this.weight[j] + this.bias[j]));
    }
    return y;
  }
}

/** The way around a sub-layer: LayerNorm(x + Sublayer(x)), or x + Sublayer(LayerNorm(x)). */
class SublayerConnection {
  constructor(name, tensors, norm_first) {
    this.norm = new LayerNorm(`${name}.norm`, tensors);
    this.norm_first = norm_first;
  }

  forward(x, sublayer) {
    if (this.norm_first) return add(x, sublayer(this.norm.forward(x)));
    return this.norm.forward(add(x, sublayer(x)));
  }
}

// --- encoder.py ----------------------------------------------------------------------------------

class EncoderLayer {
  constructor(name, tensors, { h, norm_first }) {
    const residual = (part) => new SublayerConnection(`${name}.residual_${part}`, tensors, norm_first);
    this.self_attn = new MultiHeadAttention(`${name}.self_attn`, tensors, h);
    this.feed_forward = new PositionwiseFeedForward(`${name}.feed_forward`, tensors);
    this.residual_self_attn = residual("self_attn");
    this.residual_feed_forward = residual("feed_forward");
  }

  forward(x) {
    x = this.residual_self_attn.forward(x, (x) => this.self_attn.forward(x, x, x));
    return this.residual_feed_forward.forward(x, (x) => this.feed_forward.forward(x));
  }
}

/** What encoder and decoder have in common: N layers, and a last norm if the norm comes first. */
class Stack {
  constructor(name, Layer, tensors, config) {
    this.layers = [];
    for (let i = 0; i < config.N; i++) {
      this.layers.push(new Layer(`${name}.layers.${i}`, tensors, config));
    }
    this.norm = config.norm_first ? new LayerNorm(`${name}.norm`, tensors) : null;
  }

  last(x) {
    return this.norm ? this.norm.forward(x) : x;
  }
}

/** (s, d_model) -> the memory (s, d_model): words that know their sentence. */
class Encoder extends Stack {
  constructor(tensors, config) {
    super("encoder", EncoderLayer, tensors, config);
  }

  forward(x) {
    for (const layer of this.layers) x = layer.forward(x);
    return this.last(x);
  }
}

// --- decoder.py ----------------------------------------------------------------------------------

/** The keys and values that an attention layer has computed, kept for the next word (decoding/). */
class KeyValueCache {
  constructor(grows) {
    this.grows = grows; // to the words so far, with each new word; or fixed: to the memory
    this.keys = [];
    this.values = [];
  }

  read(attn, key, value) {
    if (this.grows || !this.keys.length) {
      const [k, v] = attn.keys_and_values(key, value);
      this.keys = [...this.keys, ...k];
      this.values = [...this.values, ...v];
    }
    return [this.keys, this.values];
  }

  copy() {
    return Object.assign(new KeyValueCache(this.grows), this); // lists are replaced, not changed
  }
}

class DecoderLayer {
  constructor(name, tensors, { h, norm_first }) {
    const residual = (part) => new SublayerConnection(`${name}.residual_${part}`, tensors, norm_first);
    this.self_attn = new MultiHeadAttention(`${name}.self_attn`, tensors, h);
    this.cross_attn = new MultiHeadAttention(`${name}.cross_attn`, tensors, h);
    this.feed_forward = new PositionwiseFeedForward(`${name}.feed_forward`, tensors);
    this.residual_self_attn = residual("self_attn");
    this.residual_cross_attn = residual("cross_attn");
    this.residual_feed_forward = residual("feed_forward");
  }

  forward(x, memory, start, [own, cross]) {
    x = this.residual_self_attn.forward(x, (x) =>
      this.self_attn.forward(x, x, x, { start, cache: own }),
    );
    x = this.residual_cross_attn.forward(x, (x) =>
      this.cross_attn.forward(x, memory, memory, { start, cache: cross }),
    );
    return this.residual_feed_forward.forward(x, (x) => this.feed_forward.forward(x));
  }
}

class Decoder extends Stack {
  constructor(tensors, config) {
    super("decoder", DecoderLayer, tensors, config);
  }

  forward(x, memory, start, caches) {
    this.layers.forEach((layer, i) => (x = layer.forward(x, memory, start, caches[i])));
    return this.last(x);
  }
}

// --- transformer.py ------------------------------------------------------------------------------

/** Encoder and decoder with embeddings at the bottom and the generator at the top  (Figure 1). */
class Transformer {
  constructor(config, tensors) {
    this.config = config;
    const embed = (side) => new Embeddings(tensors[`${side}_embed.table.weight`]);
    // A matrix that is used twice stands once in the file, under the first of its names.
    this.src_embed = embed("src");
    this.tgt_embed = config.tie_weights === "all" ? this.src_embed : embed("tgt");
    this.encoder = new Encoder(tensors, config);
    this.decoder = new Decoder(tensors, config);
    this.generator = tensors["generator.proj.weight"] || this.tgt_embed.table;
  }

  /** Source ids -> memory (s, d_model). Needed once per sentence. */
  encode(src) {
    return this.encoder.forward(this.src_embed.forward(src));
  }

  /** The newest target id -> one logit for each word that could come next. */
  decode_step(word, memory, caches) {
    const start = caches[0][0].keys.length;
    const x = this.decoder.forward(this.tgt_embed.forward([word], start), memory, start, caches);
    return linear(x, this.generator).data;
  }

  new_caches() {
    return this.decoder.layers.map(() => [new KeyValueCache(true), new KeyValueCache(false)]);
  }

  /** All attention layers, in the order in which they run. */
  attention_layers() {
    return [
      ...this.encoder.layers.map((layer) => layer.self_attn),
      ...this.decoder.layers.flatMap((layer) => [layer.self_attn, layer.cross_attn]),
    ];
  }
}
