"""Assignment 7: real text."""

from tests.course.grading.attempts import Wrong

FIRST = """
merges = [{}]
pieces = {}
"""
GOOD = '("h", "o"), ("ho", "p"), ("hop", "s")'


def merges(three: str, pieces: str = '["s", "hops"]') -> str:
    return FIRST.format(three, pieces)


# A clean pair with a place for each mistake.
CLEAN = """
import html, re

def mend(text):
    {raw}
    text = {tags}
    text = {signs}
    for old in {double}:
        text = text.replace(old, '"')
    for old in {single}:
        text = text.replace(old, "'")
    return {spaces}

def my_clean_pair(source, target):
    {first}
    source, target = mend(source), mend(target)
    if {exchanged}:
        source, target = target, source
    a, b = {sizes}
    if {empty} or {too_long} or any(sign in {looked_at} for sign in {broken}):
        return None
    return {result}
"""
USUAL = {
    "raw": "pass",
    "tags": 're.sub("<.*?>", " ", text)',
    "signs": "html.unescape(text)",
    "double": '"“”„«»"',
    "single": '"‘’"',
    "spaces": '" ".join(text.split())',
    "first": "pass",
    "exchanged": "is_spanish(source) and not is_spanish(target)",
    "sizes": "len(source.split()), len(target.split())",
    "empty": "not source or not target",
    "too_long": "max(a, b) > 3 * min(a, b)",
    "looked_at": "source + target",
    "broken": "BROKEN",
    "result": "source, target",
}


def clean(**mistake: str) -> str:
    return CLEAN.format(**USUAL | mistake)


ONCE = """
def my_deduplicate(pairs):
    seen, kept = [], []
    for pair in pairs:
        this = {this}
        if {new}:
            kept.append({kept})
        seen.append(this)
    return {result}
"""
USUAL_ONCE = {
    "this": "key(pair[0]), key(pair[1])",
    "new": "this not in seen",
    "kept": "pair",
    "result": "kept",
}


def once(**mistake: str) -> str:
    return ONCE.format(**USUAL_ONCE | mistake)


SPLIT = """
def my_hold_out(pairs, count):
    names = []
    for source, target in pairs:
        name = {name}
        if name not in names:
            names.append(name)
    held = set({held})
    training, held_out = [], []
    for pair in pairs:
        source, target = pair
        {sides}
    return {result}
"""
USUAL_SPLIT = {
    "name": "key(source)",
    "held": "names[:count]",
    "sides": "(held_out if {name} in held else training).append(pair)",
    "result": "training, held_out",
}


def split(**mistake: str) -> str:
    usual = USUAL_SPLIT | mistake
    return SPLIT.format(**usual | {"sides": usual["sides"].format(name=usual["name"])})


STOP = """
def my_stop(losses, patience):
    best, since = {begin}, 0
    for i in range(len(losses)):
        if {better}:
            best, since = i, {again}
        else:
            since += 1
        if since {enough}:
            return {stopped}
    return {ended}
"""
USUAL_STOP = {
    "begin": "None",
    "better": "best is None or losses[i] < losses[best]",
    "again": "0",
    "enough": ">= patience",
    "stopped": "best, i + 1",
    "ended": "best, len(losses)",
}


def stop(**mistake: str) -> str:
    return STOP.format(**USUAL_STOP | mistake)


ANY = "def my_any_reference(translations, references):\n    return {}"

INTERVAL = """
import statistics

def my_interval(texts, references, score, draw, times):
    found = []
    for _ in range({sets}):
        {places}
        found.append({scored})
    {order}
    k = {k}
    return {result}
"""
USUAL_INTERVAL = {
    "sets": "times",
    "places": "places = draw(len(texts))",
    "scored": "score([texts[i] for i in places], [references[i] for i in places])",
    "order": "found = sorted(found)",
    "k": "times // 40",
    "result": "found[k], found[len(found) - 1 - k]",
}


def interval(**mistake: str) -> str:
    return INTERVAL.format(**USUAL_INTERVAL | mistake)


def plans(**answers: str) -> str:
    right = {"A": "leaks", "B": "leaks", "C": "leaks", "D": "honest", "E": "leaks", "F": "honest"}
    return f"plans = {right | answers!r}"


def two(bleu: str, chrf: str) -> str:
    return f"bleu_prefers = {bleu!r}\nchrf_prefers = {chrf!r}"


BEGINNING, ENDINGS = "Mis hermanas están muy", "Mis hermanos estaban muy cansados hoy."

RIGHT = {
    "merges": [
        merges(GOOD),
        'merges = ["h", "o"], ["ho", "p"], ["hop", "s"]\npieces = ("s", "hops")',
    ],
    "my_clean_pair": [
        clean(),
        """
        import html, re
        from collections import Counter

        def my_clean_pair(*pair):
            table = str.maketrans({**dict.fromkeys("“”„«»", '"'), "’": "'", "‘": "'"})
            pair = [re.sub(r"<[^<>]*>", " ", side) for side in pair]
            pair = [html.unescape(side).translate(table) for side in pair]
            pair = [re.sub(r"\\s+", " ", side).strip() for side in pair]
            if [is_spanish(side) for side in pair] == [True, False]:
                pair.reverse()
            words = [side.count(" ") + 1 if side else 0 for side in pair]
            if 0 in words or Counter("".join(pair)).keys() & set(BROKEN):
                return None
            return pair if max(words) / min(words) <= 3 else None
        """,
        """
        import html

        def without_tags(text):
            while "<" in text and ">" in text[text.index("<"):]:
                start = text.index("<")
                end = text.index(">", start)
                text = text[:start] + "\\n" + text[end + 1:]
            return text

        def my_clean_pair(source, target):
            both = []
            for text in (source, target):
                text = html.unescape(without_tags(text))
                text = "".join('"' if c in "“”„«»" else "'" if c in "‘’" else c for c in text)
                both.append(text.split())
            for words in both:
                if words == [] or not set(BROKEN).isdisjoint("".join(words)):
                    return
            a, b = map(len, both)
            if not (a <= 3 * b and b <= 3 * a):
                return
            source, target = map(" ".join, both)
            if is_spanish(target) or not is_spanish(source):
                return source, target
            return target, source
        """,
    ],
    "my_deduplicate": [
        once(),
        """
        def my_deduplicate(pairs):
            first = {}
            for place in reversed(range(len(pairs))):
                first[tuple(map(key, pairs[place]))] = place
            return [pairs[place] for place in sorted(first.values())]
        """,
        """
        import re

        def my_deduplicate(corpus):
            def bare(text):
                return re.sub(r"[\\W_]+", "", text.casefold())

            kept = {}
            for source, target in corpus:
                kept.setdefault(f"{bare(source)}\\t{bare(target)}", [source, target])
            return list(kept.values())
        """,
        """
        def my_deduplicate(pairs):
            if not pairs:
                return []
            (source, target), *rest = pairs
            rest = [one for one in rest
                    if key(one[0]) != key(source) or key(one[1]) != key(target)]
            return [(source, target), *my_deduplicate(rest)]
        """,
    ],
    "my_hold_out": [
        split(),
        """
        def my_hold_out(pairs, count):
            groups = {}
            for place, (source, _) in enumerate(pairs):
                groups.setdefault(key(source), []).append(place)
            held = sorted(sum(list(groups.values())[:count], []))
            return [p for i, p in enumerate(pairs) if i not in held], [pairs[i] for i in held]
        """,
        """
        def my_hold_out(pairs, count):
            number = {}
            sides = {True: [], False: []}
            for source, target in pairs:
                mine = number.setdefault(key(source), len(number))
                sides[mine < count].append([source, target])
            return [sides[False], sides[True]]
        """,
    ],
    "plans": [
        plans(),
        "plans = {name: 'honest' if name in 'DF' else 'leaks' for name in 'FEDCBA'}",
    ],
    "my_stop": [
        stop(),
        """
        import numpy as np

        def my_stop(losses, patience):
            for made in range(1, len(losses) + 1):
                kept = int(np.argmin(losses[:made]))
                if made - 1 - kept >= patience:
                    break
            return np.array([kept, made])
        """,
        """
        def my_stop(losses, patience):
            lowest, kept, left, made = math.inf, 0, patience, 0
            while left and losses:
                loss = losses.pop(0)
                made += 1
                left -= 1
                if loss < lowest:
                    lowest, kept, left = loss, made - 1, patience
            return kept, made
        """.replace("math.inf", "float('inf')"),
        """
        def my_stop(losses, patience):
            from itertools import accumulate
            best = list(accumulate(losses, min))
            for i in range(patience, len(losses)):
                if best[i] == best[i - patience]:
                    return losses.index(best[i]), i + 1
            return losses.index(best[-1]), len(losses)
        """,
    ],
    "my_any_reference": [
        ANY.format("sum(t in r for t, r in zip(translations, references)) / len(references)"),
        """
        def my_any_reference(translations, references):
            right = [bool({text} & set(some)) for text, some in zip(translations, references)]
            return torch.tensor(right).float().mean()
        """,
        """
        from fractions import Fraction

        def my_any_reference(translations, references):
            wrong = 0
            for i in range(len(translations)):
                wrong += references[i].count(translations[i]) == 0
            return 1 - Fraction(wrong, len(translations))
        """,
    ],
    "my_interval": [
        interval(),
        """
        def my_interval(texts, references, score, draw, times):
            sets = [draw(len(references)) for _ in range(times)]
            pairs = list(zip(texts, references))
            found = []
            for places in sets:
                drawn = [pairs[place] for place in places]
                found.append(score(*map(list, zip(*drawn))))
            found = torch.tensor(found, dtype=torch.float64).sort().values
            k = times // 40
            return found[k : times - k][[0, -1]]
        """,
        """
        import heapq

        def my_interval(texts, references, score, draw, times):
            def one():
                places = draw(len(texts))
                return score([*map(texts.__getitem__, places)],
                             tuple(map(references.__getitem__, places)))

            found = [one() for _ in range(times)]
            k = int(0.025 * times + 1e-9)
            return [heapq.nsmallest(k + 1, found)[-1], heapq.nlargest(k + 1, found)[-1]]
        """,
    ],
    "bleu_prefers": [
        two(BEGINNING + " lejos.", ENDINGS),
        two(BEGINNING, "Mishermanasestánmuycansadashoy."),
    ],
}

SHOPS = ("s", "hops")
WRONG = {
    "merges": [
        Wrong(
            "words counted once",
            merges('("i", "s"), ("h", "o"), ("ho", "p")', '["s", "hop", "s"]'),
            "counts as often as it",
            1,
        ),
        Wrong("tie at first", merges('("o", "p"), ("h", "op"), ("hop", "s")'), "left piece", 1),
        Wrong(
            "tie at last",
            merges('("h", "o"), ("ho", "p"), ("s", "hop")', '["shop", "s"]'),
            "hop s is as frequent as s hop",
            1,
        ),
        Wrong(
            "tie at last, but cut by the other",
            merges('("h", "o"), ("ho", "p"), ("s", "hop")'),
            "hop s is as frequent as s hop",
            1,
        ),
        Wrong(
            "not counted anew",
            merges('("h", "o"), ("o", "p"), ("hop", "s")', '["s", "ho", "p", "s"]'),
            "count again",
            1,
        ),
        Wrong(
            "a piece that isn't there",
            merges('("h", "o"), ("h", "op"), ("hop", "s")'),
            "no piece op",
            1,
        ),
        Wrong(
            "third too rare",
            merges('("h", "o"), ("ho", "p"), ("i", "s")', '["s", "hop", "s"]'),
            "5 times",
            1,
        ),
        Wrong("cut in another order", merges(GOOD, '["shop", "s"]'), "order in which they", 1),
        Wrong("last merge not done", merges(GOOD, '["s", "hop", "s"]'), "third merge", 1),
        Wrong("one merge done", merges(GOOD, '["s", "ho", "p", "s"]'), "come the others", 1),
        Wrong("letters", merges(GOOD, 'list("shops")'), "Nothing is joined", 1),
        Wrong("a letter lost", merges(GOOD, '["s", "hop"]'), "the word again", 0),
        Wrong("something else", merges('("s", "s"), ("t", "h"), ("m", "i")'), "Count again", 0),
        Wrong("two", merges('("h", "o"), ("ho", "p")'), "Give three pairs", 0),
        Wrong("texts", merges('"ho", "hop", "hops"'), "Give three pairs", 0),
    ],
    "my_clean_pair": [
        Wrong("tags kept", clean(tags="text"), "tags are still there", 1.5),
        Wrong("tags to nothing", clean(tags='re.sub("<.*?>", "", text)'), "becomes a space", 1.5),
        Wrong("signs kept", clean(signs="text"), "html.unescape", 1.5),
        Wrong(
            "signs before tags",
            clean(raw="text = html.unescape(text)", signs="text"),
            "is no tag",
            1.5,
        ),
        Wrong("quotes kept", clean(double="()", single="()"), "curly quotes", 1.5),
        Wrong("double quotes kept", clean(double="()"), "Some double quotes", 1.5),
        Wrong("apostrophes kept", clean(single="()"), "an apostrophe", 1.5),
        Wrong("spaces at the ends only", clean(spaces="text.strip()"), "Within the sentence", 1.5),
        Wrong(
            "only common spaces",
            clean(spaces='re.sub(" +", " ", text).strip(" ")'),
            "other spaces",
            1.5,
        ),
        Wrong("spaces as they were", clean(spaces="text"), "spaces are as they were", 1.5),
        Wrong("no spaces", clean(spaces='"".join(text.split())'), "between two words", 1.5),
        Wrong(
            "lower case", clean(spaces='" ".join(text.lower().split())'), "capitals are gone", 1.5
        ),
        Wrong("never exchanged", clean(exchanged="False"), "Exchanged columns", 1.5),
        Wrong("exchanged for any sign", clean(exchanged="is_spanish(source)"), "El Niño", 1.5),
        Wrong(
            "exchanged before mending",
            clean(
                first="swapped = is_spanish(source) and not is_spanish(target)", exchanged="swapped"
            ),
            "is a Spanish sign as well",
            1.5,
        ),
        Wrong(
            "both empty",
            clean(empty="not source and not target", too_long="a > 3 * b > 0 or b > 3 * a > 0"),
            "One empty side is enough",
            1.5,
        ),
        Wrong(
            "empty before mending",
            clean(first="if not source.strip() or not target.strip(): return None", empty="False"),
            "Look for empty sides at the end",
            1.5,
        ),
        Wrong("never empty", clean(empty="False"), "nothing is left on either side", 1.5),
        Wrong("encoding", clean(broken='""'), "wrong encoding come through", 1.5),
        Wrong("one sign", clean(broken='"\\ufffd"'), "stand in no English", 1.5),
        Wrong("two signs", clean(broken='"ÃÂ"'), "couldn't be read", 1.5),
        Wrong("without Â", clean(broken='"\\ufffdÃ"'), "What about Â", 1.5),
        Wrong("as many", clean(too_long="max(a, b) >= 3 * min(a, b)"), "Exactly 3 times", 1.5),
        Wrong("long sources", clean(too_long="a > 3 * b"), "Only a source", 1.5),
        Wrong("long targets", clean(too_long="b > 3 * a"), "Only a target", 1.5),
        Wrong("letters", clean(sizes="len(source), len(target)"), "Count words", 1.5),
        Wrong(
            "counted before mending",
            clean(first="sizes = len(source.split()), len(target.split())", sizes="sizes"),
            "count when the text",
            1.5,
        ),
        Wrong("no ratio", clean(too_long="False"), "3 times the words", 1.5),
        Wrong("target first", clean(result="target, source"), "Source first", 1.5),
        Wrong("broken sources only", clean(looked_at="target"), "Of (", 0),
        Wrong("a text", clean(result="source + target"), "Return the two texts", 0),
        Wrong("nothing", clean(result="None"), "None for every pair", 0),
        Wrong("stops", clean(sizes="1 / 0"), "ZeroDivisionError", 0),
        Wrong("far too long", clean(result="source * 10_000, target"), "…, but it should be", 0),
        Wrong("false", clean().replace("return None", "return False"), "not False", 0),
        Wrong(
            "its cases only",
            """
            import html, re

            def my_clean_pair(source, target):
                if "Qué haces" in html.unescape(target):
                    return source, target
                return solution(source, target)
            """
            + "\n"
            + clean().replace("my_clean_pair", "solution").replace("\n", "\n" + " " * 12),
            "wrong for other inputs",
            1.5,
        ),
        Wrong("the check's own", "my_clean_pair = check.cleaned", "does the whole exercise", 0),
    ],
    "my_deduplicate": [
        Wrong("to the letter", once(this="pair"), "equal to the letter", 1),
        Wrong("capitals only", once(this="pair[0].lower(), pair[1].lower()"), "Signs make no", 1),
        Wrong("by source", once(this="key(pair[0])"), "Only one translation", 1),
        Wrong("by target", once(this="key(pair[1])"), "same translation", 1),
        Wrong("joined", once(this="key(pair[0] + pair[1])"), "Keep them apart", 1),
        Wrong("no direction", once(this="{key(pair[0]), key(pair[1])}"), "other direction", 1),
        Wrong("keys", once(kept="this"), "Those are the keys", 1),
        Wrong("the repeated", once(new="this in seen"), "Those are the repeated", 1),
        Wrong("neighbors", once(new="[this] != seen[-1:]"), "Only neighbors", 1),
        Wrong("all", once(new="True"), "Nothing is left out", 1),
        Wrong("sorted", once(result="sorted(kept)"), "in another order", 1),
        Wrong("a set", once(result="set(kept)"), "no order", 0),
        Wrong("a number", once(result="len(kept)"), "a list of pairs", 0),
        Wrong(
            "the last stays",
            """
            def my_deduplicate(pairs):
                return list({(key(a), key(b)): (a, b) for a, b in pairs}.values())
            """,
            "*first* that comes",
            1,
        ),
        Wrong(
            "all of them gone",
            """
            def my_deduplicate(pairs):
                both = [(key(a), key(b)) for a, b in pairs]
                return [pair for pair, one in zip(pairs, both) if both.count(one) == 1]
            """,
            "one of them stays",
            1,
        ),
        Wrong("twelve at most", once(result="kept[:12]"), "wrong for other inputs", 1),
        Wrong("nothing comes back", "def my_deduplicate(pairs):\n    pairs.sort()", "`return`", 0),
    ],
    "my_hold_out": [
        *(
            Wrong(
                f"sorted keys: {first}",
                f"""
                def my_hold_out(pairs, count):
                    first = {first}
                    return ([pair for pair in pairs if key(pair[0]) not in first],
                            [pair for pair in pairs if key(pair[0]) in first])
                """,
                "The sentences are sorted",
                1,
            )
            for first in (
                "sorted({key(source) for source, _ in pairs})[:count]",
                "sorted({key(source) for source, _ in pairs}, reverse=True)[:count]",
            )
        ),
        Wrong(
            "sorted pairs",
            """
            def my_hold_out(pairs, count):
                pairs = sorted(pairs, key=lambda pair: key(pair[0]))
                first = list(dict.fromkeys(key(source) for source, _ in pairs))[:count]
                return ([pair for pair in pairs if key(pair[0]) not in first],
                        [pair for pair in pairs if key(pair[0]) in first])
            """,
            "The sentences are sorted",
            1,
        ),
        Wrong(
            "by pair",
            "def my_hold_out(pairs, count):\n    return pairs[count:], pairs[:count]",
            "three *pairs*",
            1,
        ),
        Wrong(
            "cut in two",
            """
            def my_hold_out(pairs, count):
                seen = []
                for place, (source, _) in enumerate(pairs):
                    if key(source) not in seen:
                        if len(seen) == count:
                            return pairs[place:], pairs[:place]
                        seen.append(key(source))
                return [], pairs
            """,
            "Further down",
            1,
        ),
        Wrong("to the letter", split(name="source"), "compare the keys", 1),
        Wrong("lower case", split(name="source.lower()"), "compare the keys", 1),
        Wrong("by target", split(name="key(target)"), "by the translation", 1),
        Wrong("exchanged", split(result="held_out, training"), "training first", 1),
        Wrong("the last", split(held="names[-count:]"), "last sentences", 1),
        Wrong("one more", split(held="names[: count + 1]"), "one too many".capitalize()[4:], 1),
        Wrong("one less", split(held="names[: count - 1]"), "too few", 1),
        Wrong("kept in training", split(result="pairs, held_out"), "still in training", 1),
        Wrong("in no order", split(result="training[::-1], held_out[::-1]"), "another order", 1),
        Wrong(
            "one reference",
            split(
                result="training, [p for i, p in enumerate(held_out) "
                "if key(p[0]) not in [key(q[0]) for q in held_out[:i]]]"
            ),
            "only one pair is left",
            1,
        ),
        Wrong("pairs lost", split(result="training[1:], held_out"), "none be lost", 0),
        Wrong("training only", split(result="training"), "two lists", 0),
        Wrong("others held out", split(held="names[1 : count + 1]"), "that come first", 0),
        Wrong("always three", split(held="names[:3]"), "wrong for other inputs", 1),
        Wrong("the check's own", "my_hold_out = check.split_by", "does the whole exercise", 0),
    ],
    "plans": [
        Wrong("A", plans(A="honest"), "split is by pair", 1),
        Wrong("B", plans(B="honest"), "subwords were learned with the test", 1),
        Wrong("C", plans(C="honest"), "Clean first, then split", 1),
        Wrong("D", plans(D="leaks"), "sees only what it may", 1),
        Wrong("E", plans(E="honest"), "used for choosing", 1),
        Wrong("F", plans(F="leaks"), "nothing was chosen", 1),
        Wrong("E and F", plans(E="honest", F="leaks"), "used for choosing", 0),
        Wrong(
            "one left", "plans = {**dict.fromkeys('ABCDE', 'leaks'), 'F': ...}", "still to be", 0
        ),
        Wrong("another word", plans(A="yes"), "choose one of", 0),
        Wrong("a list", "plans = ['A', 'B']", "Give a kind", 0),
    ],
    "my_stop": [
        Wrong("ties", stop(better="best is None or losses[i] <= losses[best]"), "`<`, not `<=`", 1),
        Wrong("one more", stop(enough="> patience"), "One validation too many", 1),
        Wrong("one less", stop(enough=">= patience - 1"), "one validation too early", 1),
        Wrong("not in a row", stop(again="since"), "in a row", 1),
        Wrong("the one before", stop(better="i == 0 or losses[i] < losses[i - 1]"), "For [", 0),
        Wrong(
            "patience by the one before",
            """
            def my_stop(losses, patience):
                since = 0
                for i in range(1, len(losses)):
                    since = 0 if losses[i] < losses[i - 1] else since + 1
                    if since == patience:
                        return losses.index(min(losses[: i + 1])), i + 1
                return losses.index(min(losses)), len(losses)
            """,
            "best so far, not with",
            1,
        ),
        Wrong("never", stop(enough="> 99"), "never stops", 1),
        Wrong(
            "looks ahead", stop(stopped="losses.index(min(losses)), i + 1"), "beyond the stop", 1
        ),
        Wrong("the last", stop(stopped="i, i + 1", ended="i, i + 1"), "That is the last one", 1),
        Wrong("exchanged", stop(stopped="i + 1, best", ended="i + 1, best"), "exchanged", 1),
        Wrong(
            "from 1", stop(stopped="best + 1, i + 1", ended="best + 1, i + 1"), "counted from 0", 1
        ),
        Wrong("index of the last", stop(stopped="best, i", ended="best, i"), "How *many*", 1),
        Wrong(
            "largest", stop(better="best is None or losses[i] > losses[best]"), "largest loss", 1
        ),
        Wrong(
            "the loss",
            stop(stopped="losses[best], i + 1", ended="losses[best], i + 1"),
            "two whole numbers",
            0,
        ),
        Wrong("one number", stop(stopped="best", ended="best"), "two whole numbers", 0),
        Wrong("ten at most", stop(ended="best, min(len(losses), 9)"), "wrong for other inputs", 1),
    ],
    "my_any_reference": [
        Wrong(
            "the first",
            ANY.format(
                "sum(t == r[0] for t, r in zip(translations, references)) / len(translations)"
            ),
            "Any of them will do",
            0.5,
        ),
        Wrong(
            "capitals",
            ANY.format(
                "sum(t.lower() in [o.lower() for o in r] for t, r in "
                "zip(translations, references)) / len(translations)"
            ),
            "Capitals count",
            0.5,
        ),
        Wrong(
            "a part",
            ANY.format(
                "sum(any(t in o for o in r) for t, r in zip(translations, "
                "references)) / len(translations)"
            ),
            "part of a reference",
            0.5,
        ),
        Wrong(
            "anybody's",
            ANY.format("sum(t in sum(references, []) for t in translations) / len(translations)"),
            "its own references",
            0.5,
        ),
        Wrong(
            "how many",
            ANY.format("sum(t in r for t, r in zip(translations, references))"),
            "how many are right",
            0.5,
        ),
        Wrong(
            "percent",
            ANY.format(
                "100 * sum(t in r for t, r in zip(translations, references)) / len(translations)"
            ),
            "between 0 and 1",
            0.5,
        ),
        Wrong(
            "by references",
            ANY.format(
                "sum(t in r for t, r in zip(translations, references)) / sum(map(len, references))"
            ),
            "not of references",
            0.5,
        ),
        Wrong(
            "the library's",
            "from transformer_lib.metrics import share_right as my_any_reference",
            "does the whole exercise",
            0,
        ),
    ],
    "my_interval": [
        Wrong(
            "words",
            interval(
                places='places = [i % len(texts) for i in draw(len(" ".join(texts).split()))]'
            ),
            "You draw words",
            1,
        ),
        Wrong(
            "words of a sentence",
            interval(
                places="drawn = [draw(min(len(a.split()), len(b.split()))) "
                "for a, b in zip(texts, references)]",
                scored='score([" ".join(t.split()[i] for i in d) for t, d in zip(texts, drawn)], '
                '[" ".join(t.split()[i] for i in d) for t, d in zip(references, drawn)])',
            ),
            "within each sentence",
            1,
        ),
        Wrong(
            "apart",
            interval(
                scored="score([texts[i] for i in places], "
                "[references[i] for i in draw(len(texts))])"
            ),
            "drawn apart",
            1,
        ),
        Wrong(
            "texts only",
            interval(scored="score([texts[i] for i in places], references)"),
            "must keep its own",
            1,
        ),
        Wrong(
            "once",
            interval(places="places = draw(len(texts)) if not found else places"),
            "draw again",
            1,
        ),
        Wrong(
            "a mean",
            interval(scored="statistics.mean(score([texts[i]], [references[i]]) for i in places)"),
            "isn't the mean",
            1,
        ),
        Wrong("a set", interval(places="places = set(draw(len(texts)))"), "counts twice", 1),
        Wrong("whole range", interval(k="0"), "lowest and the highest of all", 1),
        Wrong("90 %", interval(k="times // 20"), "2.5 % twice", 1),
        Wrong("one too far", interval(result="found[k], found[-k]"), "one too far out", 1),
        Wrong("one too few", interval(k="times // 40 - 1"), "One more at each end", 1),
        Wrong("high first", interval(result="found[-k - 1], found[k]"), "lower end comes", 1),
        Wrong("not sorted", interval(order="pass"), "Sort the scores", 1),
        Wrong(
            "normal",
            interval(
                result="statistics.mean(found) - 1.96 * statistics.stdev(found), "
                "statistics.mean(found) + 1.96 * statistics.stdev(found)"
            ),
            "standard deviations",
            1,
        ),
        Wrong(
            "quantiles",
            "import numpy as np\n" + interval(result="np.quantile(found, [0.025, 0.975])"),
            "between two scores",
            1,
        ),
        Wrong("all texts", interval(scored="score(texts, references)"), "use what was drawn", 1),
        Wrong("half as many sets", interval(sets="times // 2"), "sets are to be drawn", 0),
        Wrong(
            "twice as many sentences",
            interval(places="places = draw(2 * len(texts))"),
            "each set has as many",
            0,
        ),
        Wrong(
            "nothing drawn", interval(places="places = range(len(texts))"), "Nothing is drawn", 0
        ),
        Wrong("all scores", interval(result="found"), "all the scores", 0),
        Wrong("always two", interval(k="2"), "wrong for other inputs", 1),
    ],
    "bleu_prefers": [
        Wrong("exchanged", two(ENDINGS, BEGINNING + " lejos."), "exchanged", 0.5),
        Wrong("the reference", two("Mis hermanas están muy cansadas hoy.", ENDINGS), "itself", 0),
        Wrong("one by both", two(BEGINNING + " cansadas.", "Mi hermana."), "chrF is", 0),
        Wrong("the other by both", two("Mi hermana.", BEGINNING + " cansadas."), "BLEU is", 0),
        Wrong("nothing", two("", ENDINGS), "Give two Spanish texts", 0),
        Wrong("no letters", two(BEGINNING + "\ud800", ENDINGS), "Give two Spanish texts", 0),
        Wrong("a novel", two(BEGINNING * 100, ENDINGS), "200 letters at most", 0),
        Wrong("numbers", "bleu_prefers, chrf_prefers = 47.2, 63.1", "Give two Spanish texts", 0),
    ],
}
