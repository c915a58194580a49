"use strict";
// Draws recorded attention: all heads small, one large, as lines between two columns of words or
// as a map. Choose layer, head and word by mouse, touch or keyboard. This file is all it needs.
//
//   new AttentionView(element, {
//     layers: [{
//       name: "encoder.layers.1.self_attn",   // or any other text
//       queries: ["The", "animal", ...],      // the words that look
//       keys: ["The", "animal", ...],         // the words that are looked at
//       weights: [[[0.1, 0.9, ...]]],         // head x query x key
//     }],
//   });
//
// The laboratory lets its reader change weights; then `edit` is told of it, and each layer may
// have `computed` (weights before the changes), `off` (a truth value for each head) and `barred`
// (lists of keys that a query may not see, by query).

const AV_STYLE = `
.av { --ink: light-dark(#1a1a1a, #ececec); --muted: light-dark(#6b6b6b, #a8a8a8);
  --rule: light-dark(#d9d9d9, #40444c); --attention: light-dark(#2a7b75, #84cfc6);
  --changed: light-dark(#cd5a1f, #e89f2a); --paper: light-dark(#ffffff, #16181c);
  --rest: light-dark(#eeeeee, #2b2f36);
  --row: 2.1rem; color: var(--ink); font: 1rem/1.4 "Course Sans", Verdana, sans-serif; }
.av *, .av *::before { box-sizing: border-box; }
.av input, .av select, .av button { font: inherit; color: inherit; accent-color: var(--attention); }
.av input:focus-visible + span, .av :is(select, button, [type=range], [type=checkbox]):focus-visible
  { outline: 3px solid var(--attention); outline-offset: 2px; border-radius: 4px; }
.av-hidden { position: absolute; opacity: 0; width: 1px; height: 1px; margin: 0; }
.av-top { display: flex; flex-wrap: wrap; gap: .6rem 1.5rem; align-items: center; }
.av-top select { padding: .35rem .5rem; border: 1px solid var(--rule); border-radius: 6px;
  background: var(--paper); max-width: 100%; }
.av fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.av legend { position: absolute; opacity: 0; pointer-events: none; }
.av-forms label span { display: inline-block; padding: .3rem .8rem; border: 1px solid var(--rule);
  cursor: pointer; }
.av-forms label:first-of-type span { border-radius: 6px 0 0 6px; }
.av-forms label:last-of-type span { border-radius: 0 6px 6px 0; border-left: 0; }
.av :checked + span { font-weight: bold; }
.av-forms :checked + span { background: var(--attention); color: var(--paper); }
.av-heads { display: grid; grid-template-columns: repeat(4, minmax(0, 7rem));
  gap: .8rem; margin: 1.1rem 0; }
.av-head { font-size: .85rem; text-align: center; min-width: 0; }
.av-head label { display: block; cursor: pointer; min-height: 1.6rem; }
.av-head canvas { display: block; width: 100%; aspect-ratio: 1; image-rendering: pixelated;
  color: var(--attention); border: 1px solid var(--rule); margin-bottom: .2rem; }
.av-head :checked + span canvas { border-color: var(--attention); outline: 2px solid var(--attention); }
.av-head.av-off canvas { opacity: .25; }
.av-lines { display: grid; grid-template-columns: auto minmax(2.5rem, 1fr) auto; max-width: 44rem; }
.av-lines ol { list-style: none; margin: 0; padding: 0; }
.av-lines li { height: var(--row); display: flex; align-items: center; position: relative; }
.av-queries { text-align: right; }
.av-queries li { justify-content: flex-end; }
.av-queries span { display: inline-block; min-height: 1.6rem; min-width: 1.6rem; text-align: center; padding: .2rem .5rem; border-radius: 6px; cursor: pointer; }
.av-queries :checked + span { background: var(--attention); color: var(--paper); }
.av-lines svg { width: 100%; overflow: visible; display: block; }
.av-lines line { stroke: var(--attention); vector-effect: non-scaling-stroke; stroke-linecap: round; }
.av-lines line.av-changed { stroke: var(--changed); }
.av-caption { color: var(--muted); font-size: .85rem; padding-bottom: .3rem; }
.av-caption:last-of-type { padding-left: .8rem; }
.av-keys { display: grid; grid-template-columns: repeat(4, auto); column-gap: .5rem;
  align-content: start; }
.av-lines .av-keys li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; }
.av-key { padding-left: .8rem; }
.av-barred .av-key { text-decoration: line-through; color: var(--muted); }
.av-bar, .av-keys [type=range] { width: clamp(3.6rem, 15vw, 9rem); margin: 0; }
.av-bar, .av-keys [type=range]::-webkit-slider-runnable-track {
  height: .5rem; border-radius: .25rem; background: var(--rest)
    linear-gradient(var(--attention), var(--attention)) left / var(--share) 100% no-repeat; }
.av-keys [type=range] { appearance: none; background: none; height: 1.8rem; cursor: ew-resize; }
.av-keys [type=range]::-webkit-slider-thumb { appearance: none; width: 1rem; height: 1rem;
  margin-top: -.25rem; border-radius: 50%; background: var(--attention);
  border: 2px solid var(--paper); }
.av-keys [type=range]::-moz-range-track { height: .5rem; border-radius: .25rem;
  background: var(--rest); }
.av-keys [type=range]::-moz-range-progress { height: .5rem; border-radius: .25rem;
  background: var(--attention); }
.av-keys [type=range]::-moz-range-thumb { width: .8rem; height: .8rem; background: var(--attention);
  border: 2px solid var(--paper); }
@media (hover: hover) {
  .av-keys li:not(:hover, :focus-within) [type=range]::-webkit-slider-thumb { visibility: hidden; }
  .av-keys li:not(:hover, :focus-within) [type=range]::-moz-range-thumb { visibility: hidden; }
}
.av-number { font-variant-numeric: tabular-nums; font-size: .85rem; }
.av-nothing .av-number { color: var(--muted); }
.av-changed .av-number { font-weight: bold; text-decoration: underline 2px var(--changed); }
.av-changed { --attention: var(--changed); }
.av-end { position: absolute; left: -.8rem; width: 1.6rem; height: 1.8rem; padding: 0; border: 0;
  background: none; cursor: grab; touch-action: none; }
.av-end::before { content: ""; position: absolute; left: .35rem; top: .45rem; width: .9rem;
  height: .9rem; border-radius: 50%; background: var(--attention); border: 2px solid var(--paper); }
.av-end:active { cursor: grabbing; }
.av-sees { appearance: none; width: 1.6rem; height: 1.6rem; margin: 0; text-align: center;
  cursor: pointer; border-radius: 4px; }
.av-sees::before { content: "×"; color: var(--changed); font-weight: bold; }
.av-sees:checked::before { content: "✓"; color: var(--muted); font-weight: normal; opacity: .6; }
.av-map { overflow-x: auto; }
.av-map table { border-collapse: collapse; }
.av-map td { width: 2rem; height: 1.8rem; border: 1px solid var(--rule); padding: 0;
  background: color-mix(in srgb, var(--attention) var(--share), transparent); }
.av-map td.av-changed { outline: 2px solid var(--changed); outline-offset: -2px; }
.av-map .av-corner { border: 0; }
.av-map th { font-weight: normal; padding: .1rem .4rem; text-align: right; }
.av-map tfoot th { writing-mode: vertical-rl; text-align: left; padding: .4rem 0; }
.av-map label { cursor: pointer; }
.av-map tr:has(:checked) th { font-weight: bold; }
.av-map tr:has(:checked) td { border-block-color: var(--attention); border-block-width: 2px; }
.av-says { min-height: 1.4em; margin: .8rem 0 0; color: var(--muted); }
@media (prefers-reduced-motion: no-preference) { .av-lines line { transition: stroke-width .15s; } }
`;
// All that it says: in another language, these words are others.
const AV_SAYS = {
  layer: "Layer",
  drawn: "Drawn as",
  lines: "Lines",
  map: "Map",
  heads: "Head",
  head: (head) => `head ${head}`,
  on: " on",
  is_on: (head) => `head ${head} is on`,
  all: "all words",
  attends: "attends to",
  attends_or_not: "attends to (✓ allowed, × hidden)",
  queries: "The word that attends",
  weight_on: (word) => `weight on ${word}`,
  allowed: "may attend to it, in every head",
  allowed_to: (word) => `may attend to ${word}, in every head`,
  weights: "All weights",
  end: (weight, word) => `${weight} on ${word}: arrow keys move it to another word`,
  choose: (where) => `${where}: choose a word to see its numbers.`,
  nothing: (where, word) => `${where}: “${word}” attends to nothing.`,
  most: (where, word, key, weight) => `${where}: “${word}” attends most to “${key}”, with ${weight}.`,
  where: (layer, head) => `${layer}, head ${head}`,
  encoder: (layer) => `encoder, layer ${layer}`,
  decoder: (layer, kind) => `decoder, layer ${layer}, ${kind}-attention`,
};
const AV_FAINTEST = 0.05; // lines of less weight only blur the picture; map and numbers show all

class AttentionView {
  /** chosen: { layer: its name, head, query: null for all words, form: "lines" or "map" }. */
  constructor(element, data, { chosen = {}, edit = null, onchoose = () => {} } = {}) {
    this.element = element;
    this.edit = edit;
    this.onchoose = onchoose;
    this.chosen = { layer: data.layers[0].name, head: 0, query: null, form: "lines", ...chosen };
    this.id = `av${(AttentionView.count = (AttentionView.count ?? 0) + 1)}`;
    if (!document.getElementById("av-style")) {
      document.head.append(av_make("style", { id: "av-style" }, AV_STYLE));
    }
    const paint = () => this.paint(); // a canvas keeps its colors
    for (const media of ["(prefers-color-scheme: dark)", "print"]) {
      matchMedia(media).addEventListener("change", paint);
    }
    const root = document.documentElement;
    new MutationObserver(paint).observe(root, { attributeFilter: ["data-theme"] });
    this.show(data);
  }

  /** Other weights, or another sentence. quiet: somebody else tells a screen reader of it. */
  show(data, { quiet = false } = {}) {
    this.data = data;
    this.draw();
    this.says.ariaLive = quiet ? "off" : "polite";
  }

  choose(chosen) {
    this.chosen = { ...this.chosen, ...chosen };
    this.says.ariaLive = "polite";
    this.draw();
    this.onchoose(this.chosen);
  }

  get layer() {
    return (
      this.data.layers.find((layer) => layer.name === this.chosen.layer) ?? this.data.layers[0]
    );
  }

  /** The weights of the chosen head, query by key. */
  get weights() {
    return this.layer.weights[this.chosen.head];
  }

  is_changed(query, key) {
    const before = this.layer.computed?.[this.chosen.head][query][key];
    return before !== undefined && Math.abs(before - this.weights[query][key]) > 0.005;
  }

  /** Built anew only where words, heads or the form are others: else a grip would be lost. */
  draw() {
    const { name, queries, keys, weights } = this.layer;
    this.chosen.layer = name;
    this.chosen.head = Math.min(this.chosen.head, weights.length - 1);
    if (this.chosen.query >= queries.length) this.chosen.query = null;
    const frame = JSON.stringify([this.data.layers.map((layer) => layer.name), weights.length]);
    if (frame !== this.frame) this.build();
    const shape = JSON.stringify([name, queries, keys, this.chosen.form]);
    if (shape !== this.shape) this.build_large();
    [this.frame, this.shape] = [frame, shape];
    this.paint();
  }

  build() {
    this.heads = this.layer.weights.map((_, head) => this.build_head(head));
    this.large = av_make("div");
    this.says = av_make("p", { className: "av-says", ariaLive: "polite" });
    const heads = av_make(
      "fieldset",
      {},
      av_make("legend", {}, AV_SAYS.heads),
      av_make("div", { className: "av-heads" }, ...this.heads),
    );
    this.element.classList.add("av");
    this.element.replaceChildren(this.build_top(), heads, this.large, this.says);
    this.shape = null;
  }

  build_large() {
    const focused = document.activeElement?.id;
    this.large.replaceChildren(this.chosen.form === "map" ? this.build_map() : this.build_lines());
    if (focused) document.getElementById(focused)?.focus();
  }

  build_top() {
    const options = this.data.layers.map(({ name, label }) =>
      av_make("option", { value: name }, label ?? av_label(name)),
    );
    this.layers = av_make(
      "select",
      { ariaLabel: AV_SAYS.layer, onchange: () => this.choose({ layer: this.layers.value }) },
      ...options,
    );
    const forms = ["lines", "map"].map((form) =>
      this.radio("form", form, AV_SAYS[form]),
    );
    return av_make(
      "div",
      { className: "av-top" },
      this.layers,
      av_make("fieldset", { className: "av-forms" }, av_make("legend", {}, AV_SAYS.drawn), ...forms),
    );
  }

  /** One of several: a radio button of the browser's own, so that keys and readers know it. */
  radio(what, value, ...content) {
    const input = av_make("input", {
      type: "radio",
      className: "av-hidden",
      name: `${this.id}-${what}`,
      id: `${this.id}-${what}-${value}`,
      onchange: () => this.choose({ [what]: value }),
    });
    input.checked = this.chosen[what] === value;
    return av_make("label", {}, input, av_make("span", {}, ...content));
  }

  build_head(head) {
    const canvas = av_make("canvas");
    const box = av_make(
      "div",
      { className: "av-head" },
      this.radio("head", head, canvas, AV_SAYS.head(head)),
    );
    if (this.edit) {
      const on = av_make("input", {
        type: "checkbox",
        id: `${this.id}-on-${head}`,
        onchange: () => this.edit.off({ layer: this.layer.name, head }, !on.checked),
      });
      box.append(av_make("label", {}, on, AV_SAYS.on));
      on.ariaLabel = AV_SAYS.is_on(head);
    }
    return box;
  }

  query_radios() {
    return this.layer.queries.map((word, query) => this.radio("query", query, word));
  }

  build_lines() {
    const { keys } = this.layer;
    const item = (...content) => av_make("li", {}, ...content);
    const all = this.radio("query", null, AV_SAYS.all);
    const queries = av_make(
      "ol",
      { className: "av-queries" },
      ...this.query_radios().map((q) => item(q)),
    );
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.ariaHidden = "true"; // the words and their numbers say the same
    this.keys = keys.map((word, key) => this.build_key(word, key));
    return av_make(
      "div",
      { className: "av-lines" },
      av_make("div", { className: "av-caption av-queries" }, all),
      av_make("div"),
      av_make(
        "div",
        { className: "av-caption" },
        this.edit ? AV_SAYS.attends_or_not : AV_SAYS.attends,
      ),
      av_make("fieldset", {}, av_make("legend", {}, AV_SAYS.queries), queries),
      this.svg,
      av_make("ol", { className: "av-keys" }, ...this.keys),
    );
  }

  build_key(word, key) {
    const number = av_make("span", { className: "av-number" });
    if (!this.edit) {
      return av_make(
        "li",
        {},
        av_make("span", { className: "av-key" }, word),
        av_make("span", { className: "av-bar" }),
        number,
      );
    }
    const end = av_make("button", {
      type: "button",
      className: "av-end",
      id: `${this.id}-end-${key}`,
      onpointerdown: (event) => this.grip(event, key),
      onkeydown: (event) => this.walk(event, key),
      onblur: () => (this.walked = null),
    });
    const range = av_make("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.01,
      id: `${this.id}-to-${key}`,
      ariaLabel: AV_SAYS.weight_on(word),
      oninput: () => this.edit.set(this.place(), key, Number(range.value)),
    });
    const sees = av_make("input", {
      type: "checkbox",
      className: "av-sees",
      id: `${this.id}-sees-${key}`,
      title: AV_SAYS.allowed,
      ariaLabel: AV_SAYS.allowed_to(word),
      onchange: () => this.edit.bar(this.place(), key, !sees.checked),
    });
    return av_make(
      "li",
      {},
      end,
      av_make("span", { className: "av-key" }, word),
      range,
      number,
      sees,
    );
  }

  build_map() {
    const { queries, keys } = this.layer;
    this.cells = queries.map(() => keys.map(() => av_make("td")));
    const rows = this.query_radios().map((radio, query) =>
      av_make("tr", {}, av_make("th", { scope: "row" }, radio), ...this.cells[query]),
    );
    const words = keys.map((word) => av_make("th", { scope: "col" }, word));
    const table = av_make(
      "table",
      {},
      av_make("tbody", {}, ...rows),
      av_make("tfoot", {}, av_make("tr", {}, av_make("td", { className: "av-corner" }), ...words)),
    );
    return av_make(
      "div",
      { className: "av-map", tabIndex: 0, role: "region", ariaLabel: AV_SAYS.weights },
      table,
    );
  }

  /** Colors, numbers and lines as the weights are now. */
  paint() {
    this.layers.value = this.layer.name;
    for (const input of this.element.querySelectorAll("[type=radio]")) {
      const [, what, value] = input.id.split("-");
      input.checked = String(this.chosen[what]) === value;
    }
    this.heads.forEach((box, head) => this.paint_head(box, head));
    if (this.chosen.form === "map") this.paint_map();
    else this.paint_lines();
    const sentence = this.sentence();
    if (this.says.textContent !== sentence) this.says.textContent = sentence;
  }

  paint_head(box, head) {
    const canvas = box.querySelector("canvas");
    const context = canvas.getContext("2d");
    canvas.width = this.layer.keys.length; // which also clears it
    canvas.height = this.layer.queries.length;
    context.fillStyle = getComputedStyle(canvas).color;
    this.layer.weights[head].forEach((row, query) =>
      row.forEach((weight, key) => {
        context.globalAlpha = Math.min(Math.max(weight, 0), 1);
        context.fillRect(key, query, 1, 1);
      }),
    );
    const off = Boolean(this.layer.off?.[head]);
    box.classList.toggle("av-off", off);
    if (this.edit) box.querySelector("[type=checkbox]").checked = !off;
  }

  paint_lines() {
    const { queries, keys } = this.layer;
    const { query } = this.chosen;
    const rows = Math.max(queries.length, keys.length);
    this.svg.setAttribute("viewBox", `0 0 1 ${rows}`);
    this.svg.style.height = `calc(${rows} * var(--row))`;
    const shown = query === null ? queries.map((_, i) => i) : [query];
    this.svg.replaceChildren(
      ...shown.flatMap((i) => keys.map((_, j) => this.line(i, j))).filter(Boolean),
    );
    this.keys.forEach((item, key) => this.paint_key(item, key));
  }

  line(query, key) {
    const weight = this.weights[query][key] ?? 0; // a decoder row ends at the newest word
    if (weight < AV_FAINTEST) return null;
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const places = { x1: 0, y1: query + 0.5, x2: 1, y2: key + 0.5 };
    for (const [name, place] of Object.entries(places)) line.setAttribute(name, place);
    line.setAttribute("stroke-width", 1 + 7 * weight);
    line.setAttribute("opacity", 0.25 + 0.75 * weight);
    line.classList.toggle("av-changed", this.is_changed(query, key));
    return line;
  }

  paint_key(item, key) {
    const { query } = this.chosen;
    const weight = query === null ? 0 : (this.weights[query][key] ?? 0);
    const alone = query !== null;
    const barred = alone && Boolean(this.layer.barred?.[query]?.includes(key));
    item.classList.toggle("av-changed", alone && this.is_changed(query, key));
    item.classList.toggle("av-barred", barred);
    item.classList.toggle("av-nothing", weight < 0.005);
    item.style.setProperty("--share", `${100 * weight}%`);
    item.querySelector(".av-number").textContent = alone ? weight.toFixed(2) : "";
    if (!this.edit) return;
    const [end, range, sees] = ["button", "[type=range]", "[type=checkbox]"].map((one) =>
      item.querySelector(one),
    );
    const there = alone && key < this.weights[query].length; // words to come can't be looked at
    for (const control of [range, sees]) control.style.visibility = there ? "visible" : "hidden";
    end.hidden = !there || weight < AV_FAINTEST;
    const word = this.layer.keys[key];
    end.ariaLabel = AV_SAYS.end(weight.toFixed(2), word);
    if (document.activeElement !== range || Math.abs(range.value - weight) > 0.01)
      range.value = weight;
    range.disabled = barred;
    sees.checked = !barred;
  }

  paint_map() {
    this.cells.forEach((cells, query) =>
      cells.forEach((cell, key) => {
        const weight = this.weights[query][key] ?? 0;
        const { queries, keys } = this.layer;
        cell.style.setProperty("--share", `${100 * weight}%`);
        cell.title = `${queries[query]} → ${keys[key]}: ${weight.toFixed(2)}`;
        cell.ariaLabel = weight.toFixed(2);
        cell.onclick = () => this.choose({ query });
        cell.classList.toggle("av-changed", this.is_changed(query, key));
      }),
    );
  }

  /** What there is to see, in words. */
  sentence() {
    const { head, query } = this.chosen;
    const where = AV_SAYS.where(this.layer.label ?? av_label(this.layer.name), head);
    if (query === null) return AV_SAYS.choose(where);
    const word = this.layer.queries[query];
    const row = [...this.weights[query]];
    if (!row.some((weight) => weight > 0)) return AV_SAYS.nothing(where, word);
    const largest = row.indexOf(Math.max(...row));
    return AV_SAYS.most(where, word, this.layer.keys[largest], row[largest].toFixed(2));
  }

  // --- changing --------------------------------------------------------------------------------

  /** What a key changes it with: the end of the line at a word ("swap"), a head's tick ("off"). */
  place_of(kind, number) {
    return document.getElementById(`${this.id}-${kind === "swap" ? "end" : "on"}-${number}`);
  }

  place() {
    const { layer, head, query } = this.chosen;
    return { layer, head, query };
  }

  /** The end of a line, taken at one word, follows the pointer to another. */
  grip(event, from) {
    const end = event.target;
    const list = end.closest("ol").getBoundingClientRect();
    const words = this.weights[this.chosen.query].length;
    let to = from;
    end.setPointerCapture(event.pointerId);
    end.onpointermove = ({ clientY }) => {
      const row = Math.floor(((clientY - list.top) / list.height) * this.keys.length);
      const next = Math.min(Math.max(row, 0), words - 1);
      if (next !== to) this.edit.swap(this.place(), from, next, to);
      to = next;
    };
    end.onpointerup = end.onpointercancel = () => (end.onpointermove = null);
  }

  walk(event, key) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const next = key + step;
    if (!step || next < 0 || next >= this.weights[this.chosen.query].length) return;
    event.preventDefault();
    const from = this.walked ?? key; // where the walk began, several steps ago
    this.edit.swap(this.place(), from, next, key);
    document.getElementById(`${this.id}-end-${next}`).focus();
    this.walked = from;
  }
}

/** An element with properties and children. */
function av_make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** "decoder.layers.1.cross_attn" -> "decoder, layer 1, cross-attention"; other names stay. */
function av_label(name) {
  const [, side, layer, kind] = name.match(/^(encoder|decoder)\.layers\.(\d+)\.(\w+)_attn$/) ?? [];
  if (!side) return name;
  return AV_SAYS[side](layer, kind);
}
