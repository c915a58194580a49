"use strict";
// The first page. A sentence is shown with its translation, each Spanish word with the English words
// that it attends to. The examples came with the page; for another sentence the translator is
// fetched, with `opening`. Below, a slider moves two attention weights: its results came with the page as well.

const MOST_LETTERS = 400; // of a sentence, as in the laboratory

(() => {
  const box = document.getElementById("try");
  const part = (name) => document.getElementById(`try-${name}`);
  const [form, field, told, said, from, to] = ["form", "text", "told", "said", "from", "to"].map(part);
  const { examples, steps } = JSON.parse(document.getElementById("first").textContent);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let coming = null; // the translator, or the promise of it
  let turn = 0; // counts up: a newer sentence ends the writing of an older one
  let pointed = null; // the number of the Spanish word whose attention is shown
  let shown = examples[0];
  let touched = false; // has somebody chosen a word of it?
  const plain = (text) => text.toLowerCase().replace(/[.?!]+$/, ""); // as it may be typed

  /** The translator, fetched once. */
  function translator() {
    coming ??= fetched().catch((error) => {
      coming = null; // it may be tried again
      throw error;
    });
    return coming;
  }

  async function fetched() {
    const { size, parts } = box.dataset;
    said.textContent = siteText("fetching", { size });
    const [bar, words] = part("progress").children;
    part("progress").hidden = false;
    const tell = (share) => {
      bar.value = share;
      words.textContent = siteText("fetched", { percent: Math.round(100 * share), size });
    };
    tell(0);
    try {
      await load_scripts(JSON.parse(parts), tell);
      const found = await Translator.load(TRAINED);
      delete globalThis.TRAINED;
      return found;
    } finally {
      part("progress").hidden = true;
    }
  }

  async function translate(text) {
    const mine = ++turn;
    let found = examples.find((example) => plain(example.text) === plain(text));
    told.textContent = "\u00a0";
    if (!found) {
      box.classList.add("is-old");
      try {
        const one = await translator();
        if (mine !== turn) return;
        found = opening(one, text, examples[0].from[0].cells.length);
      } catch (error) {
        if (mine !== turn) return;
        const words = siteText(error.unknown ? "unreadable" : "not_fetched", { why: error.message });
        said.textContent = told.textContent = words;
        return;
      }
    }
    box.classList.remove("is-old");
    await show(found, mine);
  }

  /** A sentence and its translation, written word by word where motion is welcome. */
  async function show(found, mine) {
    shown = found;
    touched = false;
    from.replaceChildren(...found.from.flatMap((word) => [english(word), " "]));
    const buttons = found.to.map(({ text }, i) => {
      const button = make("button", text, "written");
      button.type = "button";
      button.onclick = button.onfocus = button.onmouseenter = () => {
        touched = true;
        point(i);
      };
      return button;
    });
    to.replaceChildren(...buttons.flatMap((button) => [button, " "]));
    if (mine) to.scrollIntoView({ block: "nearest" }); // a long sentence fills a phone
    point(null);
    part("open").href = `lab/everyday.html#${new URLSearchParams({ text: found.text })}`;
    if (!calm.matches) {
      for (const button of buttons) button.style.visibility = "hidden";
      for (const [i, button] of buttons.entries()) {
        await new Promise((resolve) => setTimeout(resolve, 350));
        if (mine !== turn) return;
        button.style.visibility = "visible";
        if (!touched) point(i);
      }
    } else if (buttons.length) point(buttons.length - 1);
    if (mine) {
      const doubt = found.doubt ? siteText("doubt", { doubt: found.doubt }) : "";
      said.textContent = found.written ? `${found.written}${doubt}` : siteText("nothing");
      if (doubt || !found.written) told.textContent = said.textContent;
    }
  }

  /** A word with a strip of the first numbers of its vector above it. */
  function english({ text, cells }) {
    const word = make("span", "", "word");
    const strip = make("span", "", "cells");
    strip.ariaHidden = "true";
    for (const number of cells) {
      const cell = make("i", "", number > 0 ? "above" : "below");
      cell.style.setProperty("--size", `${Math.min(100, Math.round(50 * Math.abs(number)))}%`);
      strip.append(cell);
    }
    word.append(strip, text);
    return word;
  }

  /** Show what a Spanish word attends to; null: none. */
  function point(i) {
    pointed = i;
    const shares = i === null ? [] : shown.to[i].shares;
    [...from.children].forEach((word, j) =>
      word.style.setProperty("--share", `${Math.round(100 * (shares[j] ?? 0))}%`),
    );
    [...to.children].forEach((word, j) => (word.ariaPressed = String(i === j)));
    if (i !== null) {
      const most = shares.indexOf(Math.max(...shares));
      const [written, read] = [shown.to[i], shown.from[most]].map(({ text }) => text);
      const share = shares[most].toFixed(2);
      told.textContent = siteText("most", { written, read, share });
    }
    draw_lines();
  }

  /** From the word that is written up to every word it attends to, the thicker the more. */
  function draw_lines() {
    const picture = part("shown").querySelector("svg");
    picture.replaceChildren();
    if (pointed === null) return;
    const frame = picture.getBoundingClientRect();
    const below = to.children[pointed].getBoundingClientRect();
    [...from.children].forEach((word, j) => {
      const above = word.getBoundingClientRect();
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      const ends = {
        x1: below.left + below.width / 2 - frame.left,
        y1: below.top - frame.top,
        x2: above.left + above.width / 2 - frame.left,
        y2: above.bottom - frame.top,
      };
      for (const [name, value] of Object.entries(ends)) line.setAttribute(name, value);
      line.style.strokeWidth = `${12 * shown.to[pointed].shares[j]}px`;
      picture.append(line);
    });
  }

  function make(tag, text, kind = "") {
    const element = document.createElement(tag);
    element.textContent = text;
    element.className = kind;
    return element;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    translate(field.value.trim() || field.placeholder);
    if (matchMedia("(pointer: coarse)").matches) field.blur(); // a phone's keyboard goes
  });
  field.addEventListener("input", () => {
    if (field.value.length > MOST_LETTERS) {
      field.value = field.value.slice(0, MOST_LETTERS);
      said.textContent = told.textContent = siteText("too_long", { most: MOST_LETTERS });
    }
    translator().catch(() => {}); // said when it is asked for
  });
  for (const button of box.querySelectorAll(".examples button")) {
    button.addEventListener("click", () => {
      field.value = button.textContent;
      translate(field.value);
    });
  }
  new ResizeObserver(draw_lines).observe(part("shown"));
  show(shown, 0);

  const slider = document.getElementById("swap-share");
  const meters = document.querySelectorAll("#swap meter");
  slider.addEventListener("input", () => {
    const [animal, street, cansado, cansada, last] = steps[slider.value];
    [animal, street].forEach((weight, i) => {
      meters[i].value = weight;
      meters[i].nextElementSibling.textContent = weight.toFixed(2);
    });
    const numbers = { animal: animal.toFixed(2), street: street.toFixed(2), last };
    slider.ariaValueText = siteText("slider", numbers);
    document.querySelector("#swap-written strong").textContent = last;
    const chances = document.querySelectorAll("#swap-told span");
    [cansado, cansada].forEach((chance, i) => (chances[i].textContent = chance.toFixed(2)));
  });
  slider.dispatchEvent(new Event("input")); // a browser may have kept where it stood
})();
