// Charts come alive when they are near: Vega draws what the notebook stores. Until then, and where
// it fails, there is the stored picture.

async function draw(box) {
  const picture = box.querySelector("img");
  const spec = JSON.parse(box.querySelector("script").textContent);
  const place = document.createElement("div");
  box.append(place);
  await vegaEmbed(place, spec, {
    mode: "vega", // what the notebook's Vega-Lite becomes: build.py has compiled it
    actions: false,
    renderer: "svg",
    config: { background: "#FFFFFF" },
    ast: true, // its expressions are interpreted, since a page may not make code out of text
  });
  const drawing = place.querySelector("svg.marks");
  drawing.setAttribute("role", "img"); // said once, and not dot by dot
  drawing.setAttribute("aria-label", picture.alt);
  for (const part of drawing.children) part.setAttribute("aria-hidden", "true");
  picture.remove();
  box.dataset.alive = "";
  dispatchEvent(new Event("resize")); // what scrolls sideways may have changed
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    near.unobserve(entry.target);
    draw(entry.target).catch((error) => console.error(error));
  }
}, { rootMargin: "600px" });
for (const box of document.querySelectorAll(".chart")) near.observe(box);
