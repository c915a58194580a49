// Attention views come alive: the stored picture makes room for one whose layer, head and word can
// be chosen. Without JavaScript the picture stays.

for (const box of document.querySelectorAll(".view")) {
  const { chosen, ...data } = JSON.parse(box.querySelector("script").textContent);
  const place = document.createElement("div");
  box.querySelector("img").replaceWith(place);
  new AttentionView(place, data, { chosen });
}
