"use strict";
// The laboratory: a sentence, its translation, and what the reader changes. All that is shown
// follows from `state`, which is also what a link holds.

let translator;
let HAS_TOUR; // the tour and its sentences are about the heads of the small translator
let layer_names;
let START;
const EXAMPLES_OF_THE_TOUR = [
  `${RIDDLE}tired`,
  `${RIDDLE}wide`,
  "The trophy didn't fit in the box because it was too small",
  "I like trees",
  "The boys like the cold water",
  "My head hurts",
  "Who crosses the street?",
];
const EVERYDAY_EXAMPLES = [
  "Where is the train station?",
  "I would like a coffee, please.",
  "Can you help me?",
  "I like trees.",
  "The animal didn't cross the street because it was too tired.",
  "My sister lives in London.",
];
/** What is shown where no link says otherwise. */
function start_state(examples) {
  return {
    text: examples[0],
    ...(HAS_TOUR ? NOUN_FINDER : { layer: layer_names.at(-1), head: 0 }),
    query: null,
    form: "lines",
    changes: [],
    choose: "greedy",
    beam: 4,
    temperature: 1,
    seed: 1,
    place: null,
  };
}
// How numbers are written in a link.
const WHOLE = /^\d+$/;
const DECIMAL = /^\d+(\.\d+)?$/;
// How a change stands in a link: change=swap,encoder.layers.1.self_attn,2,11,1,6
const FIELDS = {
  swap: ["layer", "head", "query", "from", "to"],
  set: ["layer", "head", "query", "key", "weight"],
  off: ["layer", "head"],
  bar: ["layer", "query", "key"],
};

const MOST_LETTERS = 400; // of a sentence, as the field takes them
const MOST_CHANGES = 200; // more than anybody makes by hand

const $ = (id) => document.getElementById(id);
let state;
let shown = null; // the state of what is seen: after a refusal another one than was asked for
let now; // the translation with the changes
let view = null;
let step = null; // of the tour
let writing = 0; // counts up: a newer sentence ends the writing of an older one

// --- the state as a link -------------------------------------------------------------------------

function to_hash() {
  const link = new URLSearchParams({ text: state.text });
  for (const name of ["layer", "head", "query", "form", "choose", "beam", "temperature", "seed"]) {
    if (state[name] !== START[name]) link.set(name, state[name]);
  }
  for (const change of state.changes) {
    link.append("change", [change.kind, ...FIELDS[change.kind].map((field) => change[field])]);
  }
  return `#${link}`;
}

/** Where this page is for others too: its public address, where it has one, with the state. */
function address() {
  const { href = "" } = document.querySelector("[rel=canonical]") ?? {};
  return location.protocol === "file:" && /^https?:/.test(href)
    ? href + location.hash
    : location.href;
}

/** What a link says, as far as it makes sense: a link is somebody else's text. */
function from_hash(hash) {
  const link = new URLSearchParams(hash.slice(1));
  const number = (name, low, high, written = WHOLE) => {
    const value = written.test(link.get(name)) ? Number(link.get(name)) : NaN;
    return value >= low && value <= high ? value : START[name];
  };
  const one_of = (name, values) => (values.includes(link.get(name)) ? link.get(name) : START[name]);
  return {
    ...START,
    text: [...(link.get("text") ?? START.text)].slice(0, MOST_LETTERS).join(""),
    layer: one_of("layer", layer_names),
    head: number("head", 0, translator.model.config.h - 1),
    query: number("query", 0, translator.tgt.longest),
    form: one_of("form", ["lines", "map"]),
    choose: one_of("choose", ["greedy", "beam", "draw"]),
    beam: number("beam", 1, 8),
    temperature: number("temperature", 0.1, 3, DECIMAL),
    seed: number("seed", 1, 2 ** 31),
    changes: too_many(link) ? [] : link.getAll("change").map(change_from).filter(Boolean),
  };
}

const too_many = (link) => link.getAll("change").length > MOST_CHANGES;

/** What a link asks for and doesn't get, in words. */
function refused_of(hash) {
  const link = new URLSearchParams(hash.slice(1));
  const said = [];
  if ([...(link.get("text") ?? "")].length > MOST_LETTERS) {
    said.push(say("link_too_long", { most: MOST_LETTERS }));
  }
  if (too_many(link)) {
    const count = link.getAll("change").length.toLocaleString(TEXTS.numbers);
    said.push(say("link_too_many", { count, most: MOST_CHANGES }));
  }
  return said.join(" ");
}

function change_from(text) {
  const [kind, layer, ...numbers] = text.split(",");
  if (!Object.hasOwn(FIELDS, kind) || !layer_names.includes(layer)) return null;
  const [, ...fields] = FIELDS[kind];
  const values = numbers.map((number) => (DECIMAL.test(number) ? Number(number) : NaN));
  const change = { kind, layer };
  fields.forEach((field, i) => (change[field] = values[i]));
  const fits = fields.every((field) => {
    if (field === "weight") return change.weight >= 0 && change.weight <= 1;
    const most = field === "head" ? translator.model.config.h - 1 : translator.tgt.longest;
    return Number.isInteger(change[field]) && change[field] >= 0 && change[field] <= most;
  });
  return fits && values.length === fields.length ? change : null;
}

// --- what is computed ----------------------------------------------------------------------------

function choose_words(model, src, max_length) {
  if (state.choose === "greedy") return greedy_decode(model, src, max_length);
  if (state.choose === "draw") {
    const uniform = uniform_numbers(state.seed);
    return sample_decode(model, src, { temperature: state.temperature, uniform, max_length });
  }
  const { hypotheses, tree } = beam_search(model, src, { beam_size: state.beam, max_length });
  // Once more with the best words alone: for their weights and likelihoods.
  return { ...forced_decode(model, src, hypotheses[0].ids, max_length), tree };
}

function translated(changes) {
  return translator.translate(readable(state.text), { changes, choose: choose_words });
}

const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{RI}\u200d\ufe0f\u20e3]/gu;

/** A sentence for the small translator: no quotation marks, no emoji, numbers as words it knows. */
function readable(text) {
  if (!HAS_TOUR) return text; // the larger one reads any signs
  return text
    .replace(/["“”„«»]/g, "")
    .replace(/^\s*['‘](.*)['’]([.?!]*)\s*$/s, "$1$2")
    .replace(EMOJI, "")
    .replace(/(?<![\p{L}\d])\d+(?![\p{L}\d])/gu, (digits) => {
      const word = NUMBERS[Number(digits)];
      return translator.src.ids.has(word) ? word : digits;
    });
}

/** Why a sentence is refused, for somebody who has only this page. */
function complaint_of(error) {
  const known = translator.src.words;
  if (!error.unknown?.length) return [say("unreadable", { why: error.message })];
  const words = error.unknown.map((word) => {
    const near = near_words(word, known).map((other) => `“${other}”`);
    const meant = near.length ? say("did_you_mean", { words: near.join(say("or")) }) : "";
    return `“${word}”${meant}`;
  });
  const count = known.length.toLocaleString(TEXTS.numbers);
  return [say("unknown", { words: words.join(", "), count })];
}

/** The way to the laboratory that reads any sentence, with this one: where there is such a page. */
function to_larger(text) {
  const { larger } = document.body.dataset;
  if (!larger) return [];
  const href = `${larger}#${new URLSearchParams({ text })}`;
  return [" ", av_make("a", { href }, say("larger")), say("larger_why")];
}

/** What the attention view takes. */
function attention_of({ weights, src, tgt_in, tgt_out }) {
  const layers = layer_names.map((name) => {
    const encoder = name.startsWith("encoder");
    const queries = encoder ? src : tgt_out;
    const rows = (which) =>
      weights[name].map((head) => head.slice(0, queries.length).map((row) => row[which]));
    const barred = queries.map(() => []);
    for (const { kind, layer, query, key } of state.changes) {
      if (kind === "bar" && layer === name) barred[query]?.push(key);
    }
    return {
      name,
      queries,
      barred,
      keys: encoder || name.endsWith("cross_attn") ? src : tgt_in,
      weights: rows("used"),
      computed: rows("computed"),
      off: weights[name].map((_, head) =>
        state.changes.some(
          (change) => change.kind === "off" && change.layer === name && change.head === head,
        ),
      ),
    };
  });
  return { layers };
}

/** Which words of one list have no place in the other: both without their longest common part. */
function not_in_common(a, b) {
  const length = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i][j] =
        a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const [only_a, only_b] = [new Set(), new Set()];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) [i, j] = [i + 1, j + 1];
    else if (j >= b.length || (i < a.length && length[i + 1][j] >= length[i][j + 1]))
      only_a.add(i++);
    else only_b.add(j++);
  }
  return [only_a, only_b];
}

// --- what is shown -------------------------------------------------------------------------------

/** Everything anew. slowly: word by word, as it is written. refused: what a link doesn't get. */
function show({ slowly = false, refused = "" } = {}) {
  $("complaint").textContent = refused;
  let plain;
  try {
    plain = translated([]);
    now = state.changes.length ? translated(state.changes) : plain;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    $("complaint").replaceChildren(...complaint_of(error), ...to_larger(state.text));
    if (shown) state = shown; // what is seen goes on to be about the sentence before
    else $("translation").replaceChildren(); // nothing else is there yet
    show_age();
    return;
  }
  shown = state;
  try {
    history.replaceState(null, "", to_hash());
  } catch {
    // A page inside another page may have no address of its own.
  }
  const [was, is] = not_in_common(plain.tgt_out, now.tgt_out);
  show_translation(is);
  const quiet = show_difference(plain, was) || slowly;
  show_changes();
  show_choosing();
  const data = attention_of(now);
  if (view) {
    view.chosen = {
      ...view.chosen,
      layer: state.layer,
      head: state.head,
      query: state.query,
      form: state.form,
    };
    view.show(data, { quiet });
  } else {
    view = new AttentionView($("looking"), data, { chosen: state, edit, onchoose });
  }
  show_tour_done();
  show_age();
  if (slowly) write_slowly();
}

/** What is seen pales while the field holds another sentence. */
function show_age() {
  const one = (text) => text.replace(/\r\n?/g, "\n"); // as a field holds the ends of lines
  const is_old = shown !== null && one($("sentence").value) !== one(shown.text);
  for (const part of ["written", "looking", "more"]) $(part).classList.toggle("is-old", is_old);
  $("about").textContent = is_old ? say("still", { text: shown.text }) : "";
}

function show_translation(is_new) {
  const { pieces } = now;
  const whole = pieces.join("");
  const buttons = pieces.map((piece, i) => {
    const button = av_make(
      "button",
      {
        type: "button",
        className: is_new.has(i) ? "is-new" : "",
        title: say("what_else"),
        onclick: () => look_at_place(i),
      },
      piece.trim(),
    );
    button.ariaPressed = String(state.place === i);
    button.hidden = !piece.trim();
    return [piece.startsWith(" ") ? " " : "", button];
  });
  // What was set aside is put around the words; a full stop that was added is written all the same.
  const start = whole ? now.text.indexOf(whole) : -1;
  const around = start < 0 ? ["", ""] : [now.text.slice(0, start), now.text.slice(start + whole.length)];
  $("translation").replaceChildren(around[0], ...buttons.flat(), around[1]);
}

/** The translation without the changes, where it is another. Is there something new to be told? */
function show_difference(plain, was) {
  const line = $("difference");
  line.replaceChildren();
  if (state.changes.length && !was.size && plain.text === now.text)
    line.textContent = say("same");
  else if (state.changes.length) {
    const words = (plain.ended ? plain.tgt_out.slice(0, -1) : plain.tgt_out).flatMap((word, i) => {
      const text = HAS_TOUR ? ` ${word}` : word.replace("·", " "); // pieces join to words again
      if (!was.has(i)) return [text];
      return [text.startsWith(" ") ? " " : "", av_make("s", { lang: "es" }, text.trim())];
    });
    line.append(say("was"), ...words);
  } else line.textContent = now.doubt;
  if (!now.ended) line.append(say("no_end", { count: now.ids.length }));
  const read = readable(state.text);
  if (read !== state.text) line.append(say("read_as", { text: strip(read) }));
  const told = state.changes.length ? `${now.text}. ${line.textContent}` : now.text;
  const is_new = told !== $("told").textContent;
  if (is_new) $("told").textContent = told;
  return is_new;
}

function show_changes() {
  const chips = state.changes.map((change, i) => {
    // The layers of one side are barred together and freed together.
    const same = (other) =>
      change.kind === "bar" && other.kind === "bar" && group(other) === group(change);
    if (state.changes.findIndex((other) => other === change || same(other)) < i) return null;
    const remove = av_make(
      "button",
      {
        type: "button",
        ariaLabel: say("undo_one", { change: told(change) }),
        onclick: () => change_to(state.changes.filter((other) => other !== change && !same(other))),
      },
      "×",
    );
    return av_make("li", {}, told(change), remove);
  });
  $("changes").replaceChildren(...chips.filter(Boolean));
  $("undo").disabled = !state.changes.length;
}

const kind_of = (layer) => layer.replace(/\d+/, "");
const group = ({ layer, query, key }) => [kind_of(layer), query, key].join();

/** A change in words. */
function told(change) {
  const { kind, layer, head, query } = change;
  const { queries, keys } = attention_of(now).layers.find(({ name }) => name === layer);
  const word = (list, place) => list[place] ?? say("word", { number: place + 1 });
  const at = say("head", { layer: av_label(layer), head });
  if (kind === "off") return say("told_off", { head: at });
  const who = word(queries, query);
  if (kind === "bar") return say("told_bar", { who, word: word(keys, change.key) });
  if (kind === "set") {
    const weight = change.weight.toFixed(2);
    return say("told_set", { who, word: word(keys, change.key), weight, head: at });
  }
  const [from, to] = [word(keys, change.from), word(keys, change.to)];
  return say("told_swap", { who, from, to, head: at });
}

function show_choosing() {
  document.querySelector(`[name=choose][value=${state.choose}]`).checked = true;
  $("for-beam").hidden = $("beam-tree").hidden = state.choose !== "beam";
  $("for-draw").hidden = state.choose !== "draw";
  $("beam").value = $("beam-is").textContent = state.beam;
  $("temperature").value = state.temperature;
  $("temperature-is").textContent = state.temperature.toFixed(1);
  $("beam-tree").replaceChildren(now.tree ? tree_of(now.tree) : "");

  const place = Math.min(state.place ?? 0, now.steps.length - 1);
  const written = now.tgt_in.slice(1, place + 1).join(" ");
  $("after").textContent = written ? say("after", { words: written }) : say("first");
  const p = sampling_distribution(now.steps[place], state.choose === "draw" ? state.temperature : 1);
  $("likeliest").replaceChildren(
    ...likeliest(p, 5).map(([id, share]) => {
      const bar = av_make("i");
      bar.style.setProperty("--share", `${100 * share}%`);
      return av_make(
        "li",
        {},
        ...translator.tgt.shown([translator.tgt.vocab[id]]),
        av_make("span", {}, bar),
        probability(share),
      );
    }),
  );
}

function probability(p) {
  return p < 0.005 ? "<\u00a00.01" : p.toFixed(2);
}

/** Beginnings -> nested lists; words that only ever follow each other share a line. */
function tree_of(tree) {
  const best = [...now.ids, EOS].join();
  const after = (words) =>
    tree.filter(
      (one) =>
        one.words.length === words.length + 1 && words.every((word, i) => one.words[i] === word),
    );
  const item = (beginning) => {
    const line = [beginning];
    let next = after(beginning.words);
    while (next.length === 1) {
      line.push(next[0]);
      next = after(next[0].words);
    }
    const { words, log_prob, ended } = line.at(-1);
    const sum = log_prob.toFixed(2).replace("-", "−");
    const about = ended ? say("log_probability", { sum }) : next.length ? "" : say("given_up");
    const list = av_make(
      "li",
      {},
      translator.tgt.shown(translator.tgt.tokens(line.map((one) => one.words.at(-1)))).join(" "),
      av_make("span", {}, ` ${probability(beginning.probability)}${about}`),
    );
    if (`${best},`.startsWith(`${words.join()},`)) list.className = "is-best";
    if (next.length) list.append(av_make("ul", {}, ...next.map(item)));
    return list;
  };
  return av_make("ul", { ariaLabel: say("tree") }, ...after([]).map(item));
}

/** The words appear one after another; a decoder layer shows where each of them looked. */
async function write_slowly() {
  const mine = ++writing;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const buttons = [...$("translation").querySelectorAll("button")];
  for (const button of buttons) button.style.visibility = "hidden";
  for (const [i, button] of buttons.entries()) {
    await new Promise((resolve) => setTimeout(resolve, 110));
    button.style.visibility = "visible";
    button.classList.add("is-written");
    if (mine !== writing) continue; // the rest at once, if it is still there
    if (state.layer.startsWith("decoder") && state.query === null) {
      view.chosen.query = i;
      view.draw();
    }
  }
  if (mine !== writing || state.query !== null) return;
  view.chosen.query = null;
  view.draw();
}

// --- what the reader does ------------------------------------------------------------------------

function change_to(changes) {
  writing++;
  if (changes.length > MOST_CHANGES) {
    $("complaint").textContent = say("too_many", { most: MOST_CHANGES });
    return;
  }
  state = { ...state, changes };
  show();
}

const same_place = (a, b) => a.layer === b.layer && a.head === b.head && a.query === b.query;

const edit = {
  /** previous: where the same hand had put it before. */
  swap(place, from, to, previous) {
    const changes = [...state.changes];
    const last = changes.at(-1);
    const is = (one, start, end) =>
      one?.kind === "swap" && same_place(one, place) && one.from === start && one.to === end;
    if (previous !== from && is(last, from, previous)) changes.pop();
    if (is(changes.at(-1), to, from))
      changes.pop(); // back to where it was taken from
    else if (to !== from) changes.push({ kind: "swap", ...place, from, to });
    change_to(changes);
  },
  set(place, key, weight) {
    const others = state.changes.filter(
      (one) => !(one.kind === "set" && same_place(one, place) && one.key === key),
    );
    change_to([...others, { kind: "set", ...place, key, weight }]);
  },
  off({ layer, head }, is_off) {
    const others = state.changes.filter(
      (one) => !(one.kind === "off" && one.layer === layer && one.head === head),
    );
    change_to(is_off ? [...others, { kind: "off", layer, head }] : others);
  },
  /** In all layers of its kind: what one layer may not see, the next should not find out. */
  bar({ layer, query }, key, is_barred) {
    const like = layer_names.filter((name) => kind_of(name) === kind_of(layer));
    const barred = like.map((name) => ({ kind: "bar", layer: name, query, key }));
    const others = state.changes.filter(
      (one) => !(one.kind === "bar" && group(one) === group(barred[0])),
    );
    change_to(is_barred ? [...others, ...barred] : others);
  },
};

function onchoose({ layer, head, query, form }) {
  writing++;
  const other_side = kind_of(layer) !== kind_of(state.layer);
  state = { ...state, layer, head, form, query: other_side ? null : query };
  show();
}

/** Another word of the translation: what else could stand there, and where the decoder looked. */
function look_at_place(place) {
  state.place = place;
  if (state.layer.startsWith("decoder")) state.query = place;
  $("choosing").open = true;
  show();
  $("translation").querySelectorAll("button")[place].focus();
}

function new_sentence(text) {
  // Heads stay off; what was changed in one row belongs to the words of that row.
  const changes = state.changes.filter(({ kind }) => kind === "off");
  state = { ...state, text, changes, query: null, place: null };
  $("sentence").value = text;
  show({ slowly: true });
}

// --- the tour ------------------------------------------------------------------------------------

function show_step(number) {
  step = number;
  const { state: wanted, change } = TOUR[step];
  const { title, text } = TEXTS.tour[step];
  $("tour").hidden = false;
  $("tour-step").textContent = say("tour_step", { step: step + 1, steps: TOUR.length });
  $("tour-title").textContent = title;
  $("tour-text").textContent = text;
  $("tour-back").disabled = step === 0;
  $("tour-do").hidden = $("tour-go").hidden = !change;
  $("tour-next").hidden = step === TOUR.length - 1;
  const other_text = wanted.text !== state.text;
  state = { ...START, ...wanted };
  $("sentence").value = state.text;
  show({ slowly: other_text });
}

/** Is what the step asks for done? Then say what it shows. */
function show_tour_done() {
  for (const element of document.querySelectorAll(".is-meant"))
    element.classList.remove("is-meant");
  if (step === null) return;
  const { change, meant } = TOUR[step];
  const is_done =
    change &&
    state.text === TOUR[step].state.text &&
    state.changes.some((one) => Object.keys(change).every((field) => one[field] === change[field]));
  $("tour-done").textContent = is_done ? TEXTS.tour[step].done : "";
  if (meant && !is_done) document.querySelector(meant)?.classList.add("is-meant");
}

function close_tour() {
  step = null;
  $("tour").hidden = true;
  show_tour_done();
}

// --- start ---------------------------------------------------------------------------------------

function listen() {
  // JupyterLab shows the page in a frame from which no form can be sent: so none is needed.
  const ask = (event) => {
    event.preventDefault();
    new_sentence($("sentence").value);
  };
  $("ask").onsubmit = $("translate").onclick = ask;
  $("sentence").onkeydown = (event) => {
    if (event.key === "Enter" && !event.isComposing) ask(event);
  };
  $("sentence").oninput = () => {
    const letters = [...$("sentence").value];
    if (letters.length > MOST_LETTERS) {
      $("sentence").value = letters.slice(0, MOST_LETTERS).join("");
      $("complaint").textContent = say("too_long", { most: MOST_LETTERS });
    }
    show_age();
  };
  $("undo").onclick = () => change_to([]);
  $("again").onclick = () => choose_otherwise({ seed: state.seed + 1 });
  $("beam").oninput = () => choose_otherwise({ beam: Number($("beam").value) });
  $("temperature").oninput = () =>
    choose_otherwise({ temperature: Number($("temperature").value) });
  for (const radio of document.querySelectorAll("[name=choose]")) {
    radio.onchange = () => choose_otherwise({ choose: radio.value });
  }
  $("link").onclick = async () => {
    if (!shown) {
      $("link-told").textContent = say("nothing_yet");
      return;
    }
    try {
      await navigator.clipboard.writeText(address());
      $("link-told").textContent = say(state.changes.length ? "copied_with_changes" : "copied");
    } catch {
      $("link-told").textContent = say("in_the_bar");
    }
  };
  $("tour-start").onclick = () => start_step(0);
  $("tour-next").onclick = () => start_step(step + 1);
  $("tour-back").onclick = () => start_step(step - 1);
  $("tour-go").onclick = () => {
    const { kind, head, from } = TOUR[step].change;
    view.place_of(kind, kind === "swap" ? from : head).focus();
  };
  $("tour-do").onclick = () => change_to([TOUR[step].change]);
  $("tour-close").onclick = () => {
    close_tour();
    $("tour-start").focus();
  };
  addEventListener("hashchange", () => start_from(location.hash));
}

function choose_otherwise(how) {
  writing++;
  state = { ...state, ...how };
  show();
}

function start_step(number) {
  show_step(number);
  $("tour-title").focus();
}

function start_from(hash) {
  close_tour();
  state = from_hash(hash);
  $("sentence").value = state.text;
  if (state.choose !== START.choose) $("choosing").open = true; // a beam's tree stands in there
  show({ slowly: true, refused: refused_of(hash) });
}

async function start() {
  const { parts = "[]", size } = document.body.dataset;
  const told = (share) =>
    ($("translation").textContent = say("loading", { percent: Math.round(100 * share), size }));
  try {
    await load_scripts(JSON.parse(parts), told);
    translator = await Translator.load(TRAINED);
    delete globalThis.TRAINED; // as much memory as the page needs without it
  } catch (error) {
    $("translation").textContent = "";
    $("complaint").textContent = say("not_loaded", { why: error.message });
    return;
  }
  HAS_TOUR = !(translator.src instanceof SubwordLanguage);
  layer_names = translator.model.attention_layers().map((layer) => layer.name);
  const examples = HAS_TOUR ? EXAMPLES_OF_THE_TOUR : EVERYDAY_EXAMPLES;
  START = start_state(examples);
  state = { ...START };
  const button = (text) =>
    av_make("button", { type: "button", onclick: () => new_sentence(text) }, text);
  $("examples").append(...examples.map((text) => av_make("li", {}, button(text))));
  $("words").textContent = translator.src.words.join(" ");
  $("tour-start").hidden = !HAS_TOUR;
  listen();
  // A notebook's frame has a name that says what is shown first.
  const first = location.hash.length > 1 || self === top ? location.hash : `#${window.name}`;
  if (first.length > 1 || !HAS_TOUR) start_from(first);
  else show_step(0);
}
start();
