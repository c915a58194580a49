"""The laboratory as a visitor meets it: opened from disk in a browser, without a network."""

import re
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from course.lab import pages
from tests.course.site.visits import COLORS, Visit, fits_every_window, serious
from tests.each import each
from transformer_lib import Translator
from transformer_lib.text.user_input import InputError

RIDDLE = "The+animal+didn't+cross+the+street+because+it+was+too+tired"
AT_TIRED = f"#text={RIDDLE}&query=11"
SWAPPED = f"{AT_TIRED}&change=swap,encoder.layers.1.self_attn,2,11,1,6"
STILL = {"reduced_motion": "reduce"}


@pytest.fixture(scope="module")
def windows(browser, lab):
    """window(...): a page for such a window, loaded once. Nothing may fail or be fetched."""
    visits = {}

    def window(**kind):
        if str(kind) not in visits:
            usual = {"viewport": {"width": 1400, "height": 900}, **STILL}
            visits[str(kind)] = Visit(browser, lab, **usual | kind)
            visits[str(kind)].open("index.html").locator(".av-says").wait_for()
        return visits[str(kind)].page

    yield window
    for visit in visits.values():
        visit.check()


@pytest.fixture
def visit(windows):
    """visit(link): the page as the link leaves it; with "" as it is met first."""

    def open_link(link: str, **kind):
        page = windows(**kind)
        page.evaluate(
            "(link) => { state = { ...START }; now = undefined; start_from(link); }", link
        )
        if not link:
            page.evaluate("start_step(0)")
        return page

    return open_link


def middle(place):
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def written(page) -> str:
    return page.locator("#translation").inner_text()


def test_the_tour_flips_the_gender_by_hand_and_goes_on_to_the_end(visit):
    page = visit("")
    title, done = page.locator("#tour-title"), page.locator("#tour-done")
    assert written(page).endswith("demasiado cansado")
    page.locator("#tour-next").click()
    expect(title).to_be_focused()
    expect(done).to_be_empty()
    words = page.locator(".av-keys li")
    x, y = middle(words.nth(1).locator(".av-end"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, middle(words.nth(6))[1], steps=4)
    assert written(page).endswith("demasiado cansada")  # while the button is still held
    page.mouse.up()
    expect(page.locator("#translation .is-new")).to_have_text("cansada")
    expect(page.locator("#difference s")).to_have_text("cansado")
    expect(page.locator("#told")).to_contain_text("demasiado cansada. was: el animal")
    expect(words.nth(6).locator(".av-number")).to_have_text("1.00")
    expect(done).to_contain_text("now the street is tired")
    page.mouse.move(*middle(words.nth(6).locator(".av-end")))
    page.mouse.down()
    page.mouse.move(x, y, steps=3)  # and back to where it was
    page.mouse.up()
    assert written(page).endswith("cansado") and page.locator("#changes li").count() == 0

    page.locator("#tour-next").click()
    assert written(page) == "Me gustan los árboles"
    page.get_by_label("head 0 is on").uncheck()
    assert written(page) == "Me gusta los árboles"
    expect(done).to_contain_text("nobody counts the trees")
    page.locator("#tour-next").click()
    page.locator("#tour-do").click()
    assert written(page) == "Me gustan los árboles"
    expect(page.locator("#difference")).to_have_text("no word changed")
    expect(done).to_contain_text("Nothing changes")
    page.locator("#tour-next").click()
    assert written(page).endswith("pequeña")
    expect(page.locator("#tour-next")).to_be_hidden()


def test_a_finger_moves_a_line_too(visit):
    page = visit(AT_TIRED, viewport={"width": 390, "height": 900}, has_touch=True)
    words = page.locator(".av-keys li")
    words.nth(11).scroll_into_view_if_needed()
    x, start = middle(words.nth(1).locator(".av-end"))
    touch = page.context.new_cdp_session(page)

    def send(kind, points):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", [{"x": x, "y": start}])
    for y in (start + 40, middle(words.nth(6))[1]):
        send("touchMove", [{"x": x, "y": y}])
    send("touchEnd", [])
    assert written(page).endswith("cansada")
    assert page.locator("#written").bounding_box()["y"] >= 0  # in sight all the time


def test_the_keyboard_is_enough(visit):
    page = visit("#text=I+like+trees")
    sentence = page.get_by_label("English")
    sentence.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(RIDDLE.replace("+", " "))
    page.keyboard.press("Enter")
    assert written(page).endswith("cansado")
    page.get_by_label("all words").focus()
    page.keyboard.press("ArrowUp")  # round to the last word, <eos>
    page.keyboard.press("ArrowUp")
    expect(page.locator(".av-says")).to_contain_text("“tired” attends most to “animal”, with 1.00")
    page.locator(".av-end:visible").focus()
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    assert written(page).endswith("cansada")
    expect(page.locator("#changes li")).to_have_count(1)  # one change, not five
    expect(page.locator("#changes li")).to_contain_text("tired: animal ⇄ street")
    page.get_by_label("weight on animal").focus()
    page.keyboard.press("End")
    assert written(page).endswith("cansado")
    page.get_by_label("undo: tired → animal 1.00").focus()
    page.keyboard.press("Enter")
    assert written(page).endswith("cansada")
    page.locator("#undo").focus()
    page.keyboard.press("Enter")
    assert written(page).endswith("cansado")


def test_what_is_pressed_is_24_pixels_or_more(visit):
    page = visit(f"{AT_TIRED}&choose=beam&change=off,encoder.layers.0.self_attn,1")
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, summary, .av-queries span")]
          .filter((e) => e.checkVisibility({ visibilityProperty: true }))
          .filter((e) => !e.matches(".av-hidden"))
          .map((e) => [e, (e.matches("input") && e.closest("label")) || e])
          .map(([e, target]) => [e, target.getBoundingClientRect()])
          .filter(([e, { width, height }]) =>
            height < 24 || (width < 24 && !e.closest("#translation")))
          .map(([e, box]) => [e.outerHTML.slice(0, 80), box.width, box.height])"""
    )
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = false")
    assert small == []


def test_without_javascript_it_is_said_first(browser, lab):
    with Visit(browser, lab, java_script_enabled=False) as visit:
        page = visit.open("index.html")
        warning = page.locator("noscript .warning")
        expect(warning).to_contain_text("computes in JavaScript")
        assert warning.bounding_box()["y"] < page.locator("#ask").bounding_box()["y"]


def test_the_page_runs_its_own_scripts_and_nothing_else(browser, lab):
    page = browser.new_context().new_page()
    came, refused = [], []
    page.on("requestfinished", lambda request: came.append(request.url))
    page.on("console", lambda said: refused.append(said.text))
    bad = lab / "bad.html"
    text = (lab / "index.html").read_text(encoding="utf-8")
    added = (
        "<script>document.title = 'in'</script><img src='https://example.org/x.png'>"
        "<script src='https://example.org/x.js'></script></body>"
    )
    bad.write_text(text.replace("</body>", added), encoding="utf-8")
    page.goto(bad.as_uri())
    page.locator(".av-says").wait_for()  # what belongs to it runs
    assert page.title().startswith("Two numbers")
    assert not any("example.org" in url for url in came)
    assert sum("Content Security Policy" in text for text in refused) == 3
    page.context.close()


HEAR = """() => {
  window.heard = [];
  for (const one of document.querySelectorAll("[role=status], [role=alert], [aria-live]")) {
    new MutationObserver(() => {
      const said = one.textContent.trim();
      if (said && one.ariaLive !== "off") heard.push(said);
    }).observe(one, { childList: true, characterData: true, subtree: true });
  }
}"""


def test_a_screen_reader_is_told_little_and_once(windows):
    """Of a translation that is written word by word, and of a key that moves a weight."""
    page = windows(reduced_motion="no-preference")
    page.evaluate("start_from('#text=I+like+trees')")
    page.wait_for_timeout(1500)
    page.evaluate(HEAR)
    page.get_by_label("English").fill("The dog likes trees")
    page.get_by_role("button", name="Translate").click()
    page.locator("#translation button.is-written").last.wait_for()
    page.wait_for_timeout(1500)
    assert 1 <= len(page.evaluate("heard")) <= 4, page.evaluate("heard")
    page.evaluate(f"start_from({AT_TIRED!r})")
    page.wait_for_timeout(3000)
    page.evaluate("heard.length = 0")
    page.evaluate("view.place_of('swap', 1).focus()")
    page.keyboard.press("ArrowDown")
    assert len(page.evaluate("heard")) == 1, page.evaluate("heard")


def test_a_barred_word_is_not_seen_in_any_encoder_layer(visit):
    page = visit(AT_TIRED.replace("tired", "wide"))
    assert written(page).endswith("era demasiado ancha")
    for noun in ("animal", "street"):
        page.get_by_label(f"may attend to {noun}, in every head").uncheck()
    expect(page.locator("#changes li")).to_have_count(2)
    expect(page.locator("#changes li").first).to_contain_text("wide can't see animal")
    numbers = page.locator(".av-barred .av-number")
    assert numbers.all_inner_texts() == ["0.00", "0.00"]
    page.locator("select").select_option("encoder.layers.0.self_attn")
    page.get_by_label("wide", exact=True).check()
    assert numbers.all_inner_texts() == ["0.00", "0.00"]


def test_a_link_holds_what_was_found(visit):
    page = visit(SWAPPED)
    assert written(page).endswith("cansada")
    page.get_by_label("head 0 is on").uncheck()
    page.locator("summary").first.click()
    page.get_by_label("beam search").check()
    page.get_by_role("radio", name="Map").check()
    link, parts = page.url, ("#translation", "#changes", "#beam-tree")
    found = [page.locator(part).text_content() for part in parts]
    visit("#text=I+like+trees")
    assert [page.locator(part).text_content() for part in parts] != found
    page.goto(link)
    assert [page.locator(part).text_content() for part in parts] == found
    expect(page.get_by_role("radio", name="Map")).to_be_checked()
    expect(page.locator("#tour")).to_be_hidden()
    assert page.url == link


def test_a_copied_link_is_an_address_with_all_changes(visit):
    page = visit("#text=I+like+trees&change=off,decoder.layers.1.cross_attn,0")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#link-told")).to_contain_text("copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.evaluate(
        """() => document.head.append(
          av_make("link", { rel: "canonical", href: "https://example.org/lab/index.html" }))"""
    )
    page.get_by_role("button", name="Copy link").click()  # a file of one's own leads nobody there
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "https://example.org/lab/index.html#" + page.url.partition("#")[2]
    page.evaluate("document.querySelector('[rel=canonical]').remove()")


@pytest.fixture(scope="module")
def larger_page(browser, tmp_path_factory):
    path = pages.write_lab(tmp_path_factory.mktemp("larger"), Translator.load("tatoeba"))
    with Visit(browser, path.parent, **STILL) as visit:
        yield visit.open(path.name)


def test_the_large_line_says_what_is_told(larger_page):
    """Whatever stands for what was typed is in neither of them, however it is cut into pieces."""

    def check(typed):
        larger_page.locator("#sentence").fill(typed)
        larger_page.locator("#sentence").press("Enter")
        expected = Translator.load("tatoeba").translate(typed).text
        expect(larger_page.locator("#told")).to_have_text(expected)
        assert " ".join(larger_page.locator("#translation").text_content().split()) == expected

    each(
        [
            "I like 🌳.",
            "I don\u2019t like trees",
            "It costs $1,234.56.",
            "See you at 5:30 pm.",
            "<b>I like trees.</b>",
            "Click <b>here</b> now.",
            "The word 中文 means “Chinese”.",
        ],
        check,
    )


def test_a_frame_of_a_notebook_says_what_is_shown_first(browser, lab):
    name = "text=They+like+cats&amp;layer=decoder.layers.1.cross_attn&amp;choose=beam"
    (lab / "notebook.html").write_text(f'<iframe src="index.html" name="{name}"></iframe>')
    with Visit(browser, lab, **STILL) as visit:
        frame = visit.open("notebook.html").frame_locator("iframe")
        expect(frame.locator("#translation")).to_have_text("Les gustan los gatos")
        expect(frame.locator("select")).to_have_value("decoder.layers.1.cross_attn")
        assert frame.locator("#beam-tree .is-best").first.inner_text().startswith("les")
        expect(frame.locator("#tour")).to_be_hidden()


def test_a_sentence_is_translated_in_the_frame_of_jupyterlab(browser, lab):
    """Its server sends pages with the policy `sandbox allow-scripts`: no form can be sent."""
    (lab / "sandboxed.html").write_text(
        '<iframe src="index.html" sandbox="allow-scripts" width="1000" height="900"></iframe>'
    )
    with Visit(browser, lab, bypass_csp=False, **STILL) as visit:
        frame = visit.open("sandboxed.html").frame_locator("iframe")
        sentence, translation = frame.get_by_label("English"), frame.locator("#translation")
        expect(translation).to_contain_text("El animal")
        sentence.fill("I like trees")
        sentence.press("Enter")
        expect(translation).to_have_text("Me gustan los árboles")
        sentence.fill("I like cats")
        frame.get_by_role("button", name="Translate").click()
        expect(translation).to_have_text("Me gustan los gatos")


def test_a_link_that_makes_no_sense_changes_nothing(visit):
    def check(wrong):
        page = visit(f"#text=I+like+trees&{wrong}")
        expect(page.locator("#changes li")).to_have_count(0)
        assert "." not in page.url.partition("&")[2].replace("layers.", "")
        if "draw" not in wrong:
            assert written(page) == "Me gustan los árboles"

    each(
        [
            "change=swap,encoder.layers.9.self_attn,2,11,1,6",
            "change=off,encoder.layers.1.self_attn,4",
            "change=swap,encoder.layers.1.self_attn,2,11,1",
            "change=off,encoder.layers.1.self_attn,",
            "change=__proto__,encoder.layers.1.self_attn,2",
            "change=set,encoder.layers.1.self_attn,2,1,1",
            "layer=x&head=-1&query=99&form=x&choose=x&beam=0&temperature=x&seed=-1",
            "head=1e9&query=x",
            "query=2.5",
            "query=&head=1.5&beam=2.5&choose=beam",
            "query=0x1&seed=1.5&choose=draw&temperature=1e-1",
            "change=off,encoder.layers.1.self_attn,0x1",
            "change=set,encoder.layers.1.self_attn,2,11,1,7",
            "change=off,nothing,2",
            "change=",
        ],
        check,
    )


def test_a_link_with_too_much_in_it_is_refused_in_a_sentence(visit):
    page = visit("#text=I+like+trees" + "&change=off,encoder.layers.0.self_attn,1" * 1000)
    expect(page.get_by_role("alert")).to_have_text(
        "The link asks for 1,000 changes. At most 200 are made: here are none."
    )
    expect(page.locator("#changes li")).to_have_count(0)
    assert written(page) == "Me gustan los árboles"
    page = visit("#text=" + "I+like+trees+and+" * 100)
    assert len(page.get_by_label("English").input_value()) == 400
    page = visit("#text=I+like+trees&change=off,encoder.layers.0.self_attn,1")
    expect(page.locator("#complaint")).to_be_empty()


def test_text_from_a_link_stays_text(visit):
    page = visit("#text=<img+src=x+onerror=document.title='in'>")
    expect(page.get_by_role("alert")).to_contain_text("I haven't learned “<”")
    assert page.locator("img").count() == 0


def test_what_cannot_be_read_gets_the_message_of_the_library(visit):
    for text in ["", "I like trees. I like him."]:
        page = visit("#text=I+like+trees")
        page.get_by_label("English").fill(text)
        page.get_by_role("button", name="Translate").click()
        with pytest.raises(InputError) as error:
            Translator.load().read(text)
        expect(page.get_by_role("alert")).to_have_text(f"I can't read that: {error.value}.")
        assert written(page) == "Me gustan los árboles"


def test_a_refusal_speaks_to_a_visitor_and_shows_a_way_on(visit):
    page = visit("#text=I+like+trees")
    page.evaluate("document.body.dataset.larger = 'everyday.html'")
    said, text = page.get_by_role("alert"), "I liek Nietzsche & co"
    page.get_by_label("English").fill(text)
    page.get_by_role("button", name="Translate").click()
    words = len(Translator.load().words)
    expect(said).to_contain_text(
        f"I haven't learned “liek” (did you mean “like”?), “nietzsche”, “co”. I know {words} "
    )
    assert "`" not in said.inner_text() and "Translator" not in said.inner_text()
    link = said.get_by_role("link", name="Try it in the larger laboratory")
    address, _, state = link.get_attribute("href").partition("#")
    assert address == "everyday.html" and parse_qs(state) == {"text": [text]}
    page.evaluate("delete document.body.dataset.larger")
    page.get_by_role("button", name="Translate").click()
    expect(said.get_by_role("link")).to_have_count(0)  # a page that stands alone has no other


def test_how_words_are_chosen(visit):
    page = visit("#text=I+like+trees")
    page.locator("#translation").get_by_text("gustan").click()
    expect(page.locator("#after")).to_have_text("After “me”:")
    likeliest = page.locator("#likeliest li")
    expect(likeliest.first).to_contain_text("gustan")
    page.get_by_label("beam search").check()
    assert re.search(
        r"<eos> 0\.\d\d, log-probability −0\.\d\d", page.locator("#beam-tree").inner_text()
    )
    assert page.locator("#beam-tree .is-best").first.inner_text().startswith("me")
    page.get_by_label("at random").check()
    before = likeliest.first.inner_text()
    page.get_by_label("Temperature").fill("3")
    assert likeliest.first.inner_text() != before
    assert "temperature=3" in page.url
    drawn = {written(page)}
    for _ in range(3):
        page.get_by_role("button", name="Draw again").click()
        drawn.add(written(page))
    assert len(drawn) > 1


def test_it_fits_every_window_and_keeps_nobody_out(visit):
    for scheme in ["light", "dark"]:
        for form in ("lines", "map"):
            page = visit(f"{SWAPPED}&form={form}")
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            page.evaluate("$('tour').hidden = false")
            fits_every_window(page)
            assert serious(page, **COLORS if scheme == "dark" else {}) == []
