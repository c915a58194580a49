"""What JupyterLab accepts is accepted: cells with what IPython adds to Python."""

from tests.course.grading.classroom import at_work

ACCEPTED = {  # the cells of one notebook, in order, and what stands in a name afterwards
    "help after": ("import torch\na = [0.25, 0.75]\ntorch.softmax?", "a", [0.25, 0.75]),
    "help before": ("?torch.softmax\nb = 1", "b", 1),
    "%time of a statement": ("%time c = [0.25, 0.75]", "c", [0.25, 0.75]),
    "%time of an expression": ("d = %time sum([1, 2])", "d", 3),
    "%time in a loop": ("for i in range(3):\n    %time e = i", "e", 2),
    "%time in a function": ("def f(x):\n    y = %time x + 1\n    return y\ng = f(1)", "g", 2),
    "%timeit keeps nothing": ("h = 1\n%timeit -n1 -r1 h = 2", "h", 1),
    "%timeit -o": ("%timeit -q f(1)\ni = %timeit -o -n1 -r2 f(1)\ni = len(i.all_runs)", "i", 2),
    "%prun": ("%prun -l 5 j = 1", "j", 1),
    "what a shell printed": ("files = !ls\nk = len(files)", "k", 0),
    "a shell below an if": ("if True:\n    !pip install -q einops\n    l = 1", "l", 1),
    "magics of every notebook": (
        "%matplotlib inline\n%load_ext autoreload\n%pip list\nm = 1",
        "m",
        1,
    ),
    "%%time": ("%%time\nn = 1\n%time o = 2", "o", 2),
    "%%timeit": ("%%timeit -n1 p = 5\nassert p == 5", "p", KeyError),
    "%%capture": ("%%capture said\nprint('hi')\nq = 1", "said.stdout", "hi\n"),
    "%%writefile": ("%%writefile helper.py\ndef double(x): return 2 * x", "q", 1),
    "what was written": ("from helper import double\nr = double(4)", "r", 8),
    "its own files, Python's, and nowhere": (
        "import os\nos.rename('helper.py', 'other.py')\nos.remove('other.py')\n"
        "open(os.devnull, 'w').close()\nopen(os.dup(0)).close()\n"
        "found = os.listdir(os.path.dirname(os.__file__))",
        "'os.py' in found",
        True,
    ),
    "another language": ("%%bash\nls | wc", "q", 1),
    "a prompt in front": (">>> s = 4\n>>> t = 5", "t", 5),
    "indented": ("  u = 1\n  v = 2", "v", 2),
    "await": ("import asyncio\nw = await asyncio.sleep(0.01, 'slept')", "w", "slept"),
    "await several": (
        "x = await asyncio.gather(*(asyncio.sleep(0, i) for i in 'ab'))",
        "x",
        ["a", "b"],
    ),
    "from the future": ("from __future__ import annotations", "q", 1),
    "from the future, later": ("def later(x: Unknown): return x\ny = later(3)", "y", 3),
    "a magic in a text": ("z = '''\n%time x\n!ls'''", "z", "\n%time x\n!ls"),
    "its source": (
        "import inspect\ndef own(x):\n    return x + 1\nz = inspect.getsource(own)",
        "z",
        "def own(x):\n    return x + 1\n",
    ),
    "torch.jit": ("mine = torch.jit.script(own)\nz = mine(torch.ones(1)).item()", "z", 2.0),
    "a class by its name": (
        "import pickle\nclass Own: pass\nz = type(pickle.loads(pickle.dumps(Own()))) is Own",
        "z",
        True,
    ),
}


def test_what_jupyterlab_accepts_is_accepted():
    cells = [
        part
        for number, (cell, name, _) in enumerate(ACCEPTED.values())
        for part in (cell, f"value_{number} = {name}")
    ]
    with at_work(*cells) as worker:
        for number, (name, (_, _, value)) in enumerate(ACCEPTED.items()):
            told = [worker.troubles.get(2 * number + part) for part in (0, 1)]
            if value is KeyError:
                assert told[0] is None and "is not defined" in told[1], name
                continue
            assert told == [None, None], name
            assert worker.get(f"value_{number}", "") == value, name


def test_what_jupyterlab_refuses_is_told():
    with at_work("x = (1\n%time 2", "%time 1 / 0") as worker:
        assert "SyntaxError" in worker.troubles[0] and "ZeroDiv" in worker.troubles[1]
