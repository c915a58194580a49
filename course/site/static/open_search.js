"use strict";
// What opens the search. The search itself, and what it looks through, are fetched when somebody
// asks for the first time.

const dialog = document.getElementById("search");
const words = document.getElementById("search-words");
const opener = document.getElementById("search-button");
const tell = (text) => (document.getElementById("search-count").textContent = text);
opener.hidden = false;

function openSearch() {
  dialog.showModal();
  words.select();
  if (document.querySelector("script[src='search.js']")) return;
  for (const file of ["static/search.js", "search.js"]) {
    const script = document.createElement("script"); // a page opened as a file may load scripts only
    script.src = file;
    script.async = false; // in their order
    script.onload = () => window.found && search();
    script.onerror = () => tell(siteText("list_missing"));
    document.head.append(script);
  }
}
opener.addEventListener("click", openSearch);
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "k") {
    event.preventDefault();
    openSearch();
  }
});
if (location.hash === "#search") openSearch(); // from a laboratory
document.getElementById("search-close").addEventListener("click", () => dialog.close());
dialog.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault(); // Enter: to the first one found
  dialog.querySelector("#search-found a")?.click();
});
