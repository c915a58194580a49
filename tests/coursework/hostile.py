"""Notebooks that would bring a careless grader down: what stands in place of `my_weights`.

name -> (code, a part of the hint that this exercise gets). Everything else in these notebooks is
right, so everything else must get its points.
"""

HOSTILE = {
    "endless-cell": ("while True:\n    pass", "did not end within"),
    "endless-function": ("def my_weights(q, k):\n    while True: pass", "did not end within"),
    "stubborn-loop": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "did not end within",
    ),
    "exit": ("exit()", "SystemExit"),
    "exit-in-function": ("def my_weights(q, k):\n    exit()", "SystemExit"),
    "hard-exit": ("import os\nos._exit(0)", "ended the whole program"),
    "hard-exit-in-function": (
        "import os\ndef my_weights(q, k):\n    os._exit(0)",
        "ended the whole program",
    ),
    "crash": (
        "import faulthandler\ndef my_weights(q, k):\n    faulthandler._sigsegv()",
        "ended the whole program",
    ),
    "import-fails": ("import no_such_module\ndef my_weights(q, k): return q", "no_such_module"),
    "raises": ("raise ValueError('no')\ndef my_weights(q, k): return q", "ValueError: no"),
    "syntax": ("def my_weights(q, k)\n    return q", "SyntaxError"),
    "recursion": ("def my_weights(q, k):\n    return my_weights(q, k)", "RecursionError"),
    "20-gigabytes": ("hoard = torch.ones(5_000_000_000)\ndef my_weights(q, k): return q",
                     "allocate"),
    "20-gigabytes-of-lists": (
        "hoard = []\nwhile True:\n    hoard.append(' ' * 100_000_000)", "MemoryError"),
    "huge-answer": (
        "def my_weights(q, k):\n    return torch.zeros(100_000_000)", "ended the whole program"),
    "fork-bomb": ("import os\nwhile True:\n    os.fork()", "os.fork"),
    "processes": ("import subprocess, sys\nwhile True:\n    subprocess.Popen([sys.executable])",
                  "may not use"),
    "network": ("import urllib.request\nurllib.request.urlopen('http://example.com')",
                "may not use socket"),
    "shell": ("import os\nos.system('touch {outside}')", "os.system"),
    "writes-outside": ("open('{outside}', 'w').write('mine')", "own folder"),
    "writes-with-os": ("import os\nos.open('{outside}', os.O_CREAT | os.O_WRONLY)", "own folder"),
    "deletes-another": ("import os\nos.remove('{another}')", "own folder"),
    "moves-another": ("import os\nos.rename('{another}', 'mine.ipynb')", "own folder"),
    "empties-another": ("import pathlib\npathlib.Path('{another}').write_text('')", "own folder"),
    "reads-another": ("print(open('{another}').read())", "may not read"),
    # The guard says that it may not; behind the wall the file isn't even there.
    "reads-the-project": ("print(open('{project}/README.md').read())", "There is no `my_weights`"),
    "reads-the-solution": ("print(open('{solution}').read())", "may not read"),
    "lists-the-others": ("import os\nos.listdir('{others}')", "may not read"),
    "calls-c": ("import ctypes\nctypes.CDLL(None).fork()", "may not use ctypes"),
    "redefines-the-checks": (
        "import transformer_lib.checks as checks\n"
        "import transformer_lib.checks.attention as own\n"
        "checks.expect = checks.no_slip = own.expect = own.no_slip = lambda *anything: None\n"
        "class check:\n    my_weights = staticmethod(lambda function: None)\n"
        "def my_weights(q, k): return (q @ k.T).softmax(-1)",
        "not scaled",
    ),
    "patches-torch": (
        "torch.allclose = torch.equal = lambda *one, **two: True\n"
        "torch.Tensor.__eq__ = lambda *one: True\n"
        "def my_weights(q, k): return (q @ k.T).softmax(-1)",
        "not scaled",
    ),
    "lies-about-equality": (
        "class Same(torch.Tensor):\n"
        "    def __torch_function__(self, *one, **two): return True\n"
        "def my_weights(q, k): return (q @ k.T).softmax(-1).as_subclass(Same)",
        "",  # any hint: it isn't right
    ),
    "answers-for-the-grader": (
        "import os\n"
        "for number in range(3, 50):\n"
        "    try: os.write(number, b'[\"answer\", null]' * 1000)\n"
        "    except OSError: pass",
        "",
    ),
    "prints-without-end": ("for i in range(10**6):\n    print('x' * 1000)\nraise ValueError('ok')",
                           "ValueError: ok"),
    "threads": (
        "import threading, time\n"
        "for i in range(200):\n"
        "    threading.Thread(target=time.sleep, args=(1000,)).start()\n"
        "raise ValueError('ok')",
        "",  # some systems refuse the threads, some let them end with the process
    ),
}  # fmt: skip
