"use strict";
// The field on the first page: a sentence is translated here, word by word, each with the words of
// the sentence that it attends to. The translator comes when somebody types or clicks.

(() => {
  const box = document.getElementById("try");
  const [form, field, told, from, to] = ["form", "text", "told", "from", "to"].map((name) =>
    document.getElementById(`try-${name}`),
  );
  const progress = box.querySelector("progress");
  let coming = null; // the translator, or the promise of it
  let turn = 0; // counts up: a newer sentence ends the writing of an older one

  /** The translator, fetched once. */
  function translator() {
    coming ??= fetched().catch((error) => {
      coming = null; // it may be tried again
      throw error;
    });
    return coming;
  }

  async function fetched() {
    const size = box.dataset.size;
    progress.hidden = false;
    const tell = (share) => {
      progress.value = share;
      told.textContent = `Fetching the translator: ${Math.round(100 * share)} % of ${size}`;
    };
    tell(0);
    try {
      await load_scripts(box.dataset.parts.split(" "), tell);
      const found = await Translator.load(TRAINED);
      delete globalThis.TRAINED;
      told.textContent = "";
      return found;
    } finally {
      progress.hidden = true;
    }
  }

  async function translate(text) {
    const mine = ++turn;
    box.classList.add("is-old");
    let one, result;
    try {
      one = await translator();
      if (mine !== turn) return;
      result = one.translate(text);
    } catch (error) {
      if (mine !== turn) return;
      told.textContent = error.unknown
        ? `I can't read that: ${error.message}.`
        : `The translator could not be fetched: ${error.message}.`;
      return;
    }
    box.classList.remove("is-old");
    show(one, result, text, mine);
  }

  /** Pieces side by side -> the words they make up: { text, pieces: their places }. */
  function joined(pieces) {
    const words = [];
    pieces.forEach((piece, i) => {
      const begins = piece.startsWith(" ") && words.at(-1)?.text;
      if (begins || !words.length) words.push({ text: "", pieces: [] });
      words.at(-1).text += piece.trim();
      words.at(-1).pieces.push(i);
    });
    return words.filter(({ text }) => text);
  }

  /** source word -> its share of what the pieces of a written word attend to, all heads alike. */
  function shares(rows, written, source) {
    return source.map(({ pieces }) => {
      let sum = 0;
      for (const head of rows) {
        for (const query of written.pieces) for (const key of pieces) sum += head[query].used[key];
      }
      return sum / (rows.length * written.pieces.length);
    });
  }

  async function show(one, result, text, mine) {
    const { tokens, typed } = one.src.read(text);
    const { tokenizer } = one.src;
    const copies = one.src.places(tokenizer.detokenize(tokens), typed.copied);
    const source = joined(pieces_of(tokens, tokenizer, copies));
    const written = joined(result.pieces);
    const last = Object.keys(result.weights).filter((name) => name.endsWith("cross_attn")).at(-1);
    const spans = source.map((word) => make("span", word.text));
    const point = (i) => {
      const found = shares(result.weights[last], written[i], source);
      spans.forEach((span, j) => span.style.setProperty("--share", `${Math.round(100 * found[j])}%`));
      for (const [j, button] of buttons.entries()) button.ariaPressed = String(i === j);
      const most = found.indexOf(Math.max(...found));
      told.textContent = `“${written[i].text}” attends most to “${source[most].text}”, with ${found[most].toFixed(2)}.`;
    };
    const buttons = written.map((word, i) => {
      const button = make("button", word.text);
      button.type = "button";
      button.onclick = button.onfocus = button.onmouseenter = () => point(i);
      return button;
    });
    from.replaceChildren(...spans.flatMap((span) => [span, " "]));
    to.replaceChildren(...buttons.flatMap((button) => [button, " "]));
    document.getElementById("try-shown").hidden = false;
    const link = document.getElementById("try-open");
    link.href = `lab/everyday.html#${new URLSearchParams({ text })}`;
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
      for (const button of buttons) button.style.visibility = "hidden";
      for (const [i, button] of buttons.entries()) {
        await new Promise((resolve) => setTimeout(resolve, 160));
        if (mine !== turn) return;
        button.style.visibility = "visible";
        point(i);
      }
    } else if (buttons.length) point(buttons.length - 1);
    const doubt = result.doubt && ` It is ${result.doubt}.`;
    told.textContent = `${result.text}${doubt} Choose a word to see what it attends to.`;
    if (!buttons.length) told.textContent = "It wrote nothing.";
  }

  function make(tag, text) {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim()) translate(field.value);
    else field.focus();
  });
  field.addEventListener("input", () => {
    box.classList.add("is-old");
    translator().catch(() => {}); // said when it is asked for
  });
  for (const button of box.querySelectorAll(".examples button")) {
    button.addEventListener("click", () => {
      field.value = button.textContent;
      translate(field.value);
    });
  }
})();
