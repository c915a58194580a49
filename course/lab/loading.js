"use strict";
// For pages that fetch a translator when they are there already.

const AT_ONCE = 3; // more, and all of them end together: nothing could be told of the way

/** Scripts beside the page, [[file, bytes], ...]; told(share of the bytes) is called as they come. */
async function load_scripts(files, told = () => {}) {
  const all = files.reduce((sum, [, bytes]) => sum + bytes, 0);
  let there = 0;
  const load = ([file, bytes]) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script"); // from disk a page may load nothing else
      script.src = file;
      script.async = false; // in their order
      script.onload = () => {
        told((there += bytes) / all);
        resolve();
      };
      script.onerror = () => reject(new Error(file));
      document.head.append(script);
    });
  const waiting = [...files];
  const one_after_another = async () => {
    while (waiting.length) await load(waiting.shift());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one_after_another));
}
