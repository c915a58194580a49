"use strict";
// For pages that fetch a translator when they are there already.

/** Scripts beside the page, one after another; told(share) is called as they come. */
async function load_scripts(files, told = () => {}) {
  let there = 0;
  const load = (file) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script"); // from disk a page may load nothing else
      script.src = file;
      script.async = false; // in their order
      script.onload = () => {
        told(++there / files.length);
        resolve();
      };
      script.onerror = () => reject(new Error(`${file} did not come`));
      document.head.append(script);
    });
  await Promise.all(files.map(load));
}
