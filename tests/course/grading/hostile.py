"""Notebooks that would bring a careless grader down: what stands in place of `my_weights`.

name -> (code, a part of the hint that this exercise gets). Everything else in these notebooks is
right, so everything else must get its points.
"""

# The solution in the file that `raw` holds.
TAKE_IT = """
import json
for cell in json.loads(raw)['cells']:
    if 'def my_weights' in ''.join(cell['source']):
        exec(''.join(cell['source']))
"""
# A folder that may be read, and the way from there to a file that may not. The current folder is
# so deep that from there the same way leads nowhere else.
FROM_ELSEWHERE = """
import os
library = os.path.dirname(os.path.realpath(torch.__file__))
folder = os.open(library, os.O_RDONLY)
path = os.path.relpath('{place}', library)
os.makedirs('/'.join(['deep'] * 40))
os.chdir('/'.join(['deep'] * 40))
"""

HOSTILE = {
    # The last two wait instead of computing: the clock counts that as well, and the class's other
    # notebooks have the processor meanwhile.
    "endless-cell": ("while True:\n    pass", "did not end within"),
    "endless-function": (
        "import time\ndef my_weights(q, k):\n    while True: time.sleep(1)",
        "did not end within",
    ),
    "endless-stubborn": (
        "import time\n"
        "while True:\n    try:\n        while True: time.sleep(1)\n    except BaseException: pass",
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
        "import faulthandler\ndef my_weights(q, k):\n    faulthandler._read_null()",
        "ended the whole program",
    ),
    "abort": ("import os\ndef my_weights(q, k):\n    os.abort()", "ended the whole program"),
    "import-fails": ("import no_such_module\ndef my_weights(q, k): return q", "no_such_module"),
    "raises": ("raise ValueError('no')\ndef my_weights(q, k): return q", "ValueError: no"),
    "syntax": ("def my_weights(q, k)\n    return q", "SyntaxError"),
    "recursion": ("def my_weights(q, k):\n    return my_weights(q, k)", "RecursionError"),
    "20-gigabytes": (
        "hoard = torch.ones(5_000_000_000)\ndef my_weights(q, k): return q",
        "allocate",
    ),
    "20-gigabytes-of-lists": (
        "hoard = []\nwhile True:\n    hoard.append(' ' * 100_000_000)",
        "MemoryError",
    ),
    "huge-answer": (
        "def my_weights(q, k):\n    return torch.zeros(10_000_000)",
        "ended the whole program",
    ),
    "a-gigabyte-of-files": (
        "for i in range(100):\n    open(f'{i}.bin', 'wb').write(bytes(10_000_000))",
        "",  # the disk is full, or somebody saw it
    ),
    "endless-empty-files": (
        "import os\nfor i in range(10**6):\n"
        "    os.close(os.open(f'{i}', os.O_CREAT | os.O_WRONLY))\nimport time\ntime.sleep(2)",
        "",
    ),
    "redefines-the-checks": (
        "import course.checks as checks\n"
        "import course.chapters.ch04_attention.checks as own\n"
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
    "prints-without-end": (
        "for i in range(10**5):\n    print('x' * 10_000)\nraise ValueError('ok')",
        "ValueError: ok",
    ),
}

# What fails in its own cell, one beside the other in one notebook. Without the code's success
# nothing is called `my_weights`. name -> (code, a part of what the cell says)
ATTACKS = {
    "fork-bomb": ("import os\nwhile True:\n    os.fork()", "os.fork"),
    "processes": (
        "import subprocess, sys\nwhile True:\n    subprocess.Popen([sys.executable])",
        "may not use",
    ),
    "network": (
        "import urllib.request\nurllib.request.urlopen('http://example.com')",
        "may not use socket",
    ),
    "shell": ("import os\nos.system('touch {outside}')", "os.system"),
    "writes-outside": ("open('{outside}', 'w').write('mine')", "own folder"),
    "writes-with-os": ("import os\nos.open('{outside}', os.O_CREAT | os.O_WRONLY)", "own folder"),
    "deletes-another": ("import os\nos.remove('{another}')", "own folder"),
    "moves-another": ("import os\nos.rename('{another}', 'mine.ipynb')", "own folder"),
    "empties-another": ("import pathlib\npathlib.Path('{another}').write_text('')", "own folder"),
    "reads-another": ("print(open('{another}').read())", "may not read"),
    # The guard says that it may not; in the sandbox the file isn't even there.
    "reads-the-project": ("print(open('{project}/README.md').read())", ""),
    "reads-the-solution": ("print(open('{solution}').read())", "may not read"),
    "reads-the-transformer": (
        "open('{project}/course/assignments/my_transformer.py')",
        "may not read",
    ),
    "lists-the-others": ("import os\nos.listdir('{others}')", "may not read"),
    "looks-up-a-host": ("import socket\nsocket.gethostbyaddr('127.0.0.1')", "may not use socket"),
    "opens-a-socket": ("import socket\nsocket.socket()", "may not use socket"),
    "calls-c": ("import ctypes\nctypes.CDLL(None).fork()", "may not use ctypes"),
    "starts-one-on-windows": (
        "import sys\nsys.audit('_winapi.CreateProcess', None)",
        "may not use _winapi",
    ),
    "reads-by-dots": ("open('../outside')", "may not read"),
    "writes-by-dots": ("open('../outside', 'w')", "own folder"),
    "writes-beside": ("import os\nopen(os.getcwd() + '-not', 'w')", "own folder"),
    "writes-to-python": ("import os\nopen(os.__file__, 'a')", "own folder"),
    "links-outside": ("import os\nos.symlink('{others}', 'link')", "own folder"),
    "writes-through-a-link": (  # made where the same way doesn't lead outside
        "import os\nos.makedirs('a/b')\nos.chdir('a/b')\nos.symlink('../..', '../../link')\n"
        "os.chdir('../..')\nopen('link/mine', 'w')",
        "own folder",
    ),
    "truncates-another": ("import os\nos.truncate(b'{another}', 0)", "own folder"),
    "scans-the-others": ("import os\nos.scandir('{others}')", "may not read"),
}

# What Python's own guard doesn't see, because C code does it: a sandbox has to stop it.
BEYOND_THE_GUARD = {
    "reads-by-torch": (
        "import os\nsize = os.path.getsize('{solution}')\n"
        "raw = bytes(torch.from_file('{solution}', size=size, dtype=torch.uint8).tolist())"
        + TAKE_IT,
        "",
    ),
    "reads-in-c": (
        "import os\nsize = os.path.getsize('{solution}')\n"
        "raw = bytes(torch._C.StorageBase.from_file('{solution}', False, size))" + TAKE_IT,
        "",
    ),
    "writes-in-c": ("torch._C.StorageBase.from_file('{another}', True, 9)[0] = 0", ""),
    "reads-from-elsewhere": (
        FROM_ELSEWHERE.replace("{place}", "{solution}")
        + "try: raw = os.read(os.open(path, os.O_RDONLY, dir_fd=folder), 10**7)\n"
        + "finally: os.close(folder)"
        + TAKE_IT,
        "",
    ),
    "saves-tensors-outside": (
        "import safetensors.torch\nsafetensors.torch.save_file({'a': torch.ones(2)}, '{outside}')",
        "",
    ),
    "shares-memory": ("torch.ones(2).share_memory_()", ""),
    "pipe-outside": ("import os\nos.mkfifo('{outside}')", ""),
    "cffi": (
        "import cffi\nffi = cffi.FFI()\nffi.cdef('int creat(const char *, unsigned);')\n"
        "if ffi.dlopen(None).creat(b'{outside}', 0o600) < 0: raise OSError",
        "",
    ),
}

# The guard taken away, as somebody does who knows the interpreter; and a way to call C.
NO_GUARD = """
import ctypes, gc, mmap, os, resource, signal, socket
def guard(check):
    def hook(event, details): check
    return hook
for one in gc.get_objects():
    if getattr(type(one), '__name__', '') == 'function' and one.__name__ == 'hook':
        one.__code__ = guard(None).__code__
c = ctypes.CDLL(None, use_errno=True)
c.shmat.restype = ctypes.c_ssize_t
def call(name, *inputs):
    if (result := getattr(c, name)(*inputs)) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
"""
# What only a sandbox is left to stop: each has to fail. name -> (code, a part of what is said)
NOT_ALLOWED, NOT_THERE = "not permitted", "No such file"
BARE = {
    # the lists of forbidden calls that these got around were long
    "every-call-that-is-not-listed": (
        # 335 and 336 are the kernel's own, which no filter sees: it ends whoever else calls them
        "numbers = set(range(600)) - set({listed}) - {335, 336}\nwrong = []\n"
        "for number in sorted(numbers):\n"
        "    ctypes.set_errno(0)\n"
        "    c.syscall(number, -1, -1, -1, -1, -1, -1)\n"
        "    if ctypes.get_errno() not in (1, 38): wrong.append(number)\n"
        "raise SystemError(f'let through: {wrong}')",
        "let through: []",
    ),
    # processes: others, and more of them
    "traces-itself": ("call('ptrace', 0, 0, None, None)", NOT_ALLOWED),
    "traces-the-grader": ("call('ptrace', 0x4206, os.getppid(), None, None)", NOT_ALLOWED),
    "reads-the-grader": ("open(f'/proc/{os.getppid()}/mem', 'rb')", NOT_THERE),
    "sees-others": (
        "others = [n for n in os.listdir('/proc') if n.isdigit() and int(n) != os.getpid()]\n"
        "if not others: raise SystemError('alone')",
        "alone",
    ),
    "kills-everybody": ("os.kill(-1, signal.SIGKILL)", NOT_ALLOWED),
    "signals-its-group": ("os.killpg(0, signal.SIGTERM)", NOT_ALLOWED),
    "forks": ("os.fork()", NOT_ALLOWED),
    "vforks": ("call('vfork')", NOT_ALLOWED),
    "threads": ("import threading\nthreading.Thread(target=int).start()", "can't start"),
    "a-session-of-its-own": ("os.setsid()", NOT_ALLOWED),
    "outlives-the-grader": ("call('prctl', 1, 0)", NOT_ALLOWED),
    "hides-from-the-grader": ("call('prctl', 4, 0)", NOT_ALLOWED),
    # memory, the system's own included
    "grows-by-itself": (
        "mmap.mmap(-1, 6 * 2**30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)",
        NOT_ALLOWED,
    ),
    "huge-pages": (
        "mmap.mmap(-1, 2**21, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)",
        NOT_ALLOWED,
    ),
    "locked-pages": (
        "mmap.mmap(-1, 2**21, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000)",
        NOT_ALLOWED,
    ),
    "shared-pages": ("mmap.mmap(-1, 6 * 2**30)", "allocate memory"),
    "tables-of-pages": (
        "mmap.mmap(-1, 2**40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)",
        "allocate memory",
    ),
    "a-file-in-memory": ("os.memfd_create('x')", NOT_ALLOWED),
    "raises-its-limits": (
        "for which in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU):\n"
        "    most = resource.getrlimit(which)[1]\n"
        "    try: resource.setrlimit(which, (most + 1, most + 1))\n"
        "    except ValueError: continue\n"
        "    break\n"
        "else: raise SystemError('all stay')",
        "all stay",
    ),
    "socket-pairs": ("socket.socketpair()", NOT_ALLOWED),
    "pipes": ("os.pipe()", NOT_ALLOWED),
    "a-million-locks": (
        "import fcntl\nfile = open('locks', 'w')\n"
        "for i in range(10**6): fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * i)",
        NOT_ALLOWED,
    ),
    "a-million-descriptors": (
        "kept = []\ntry:\n    while True: kept.append(os.dup(0))\n"
        "finally:\n    for one in kept: os.close(one)",
        "Too many open files",
    ),
    "timers": ("call('timer_create', 0, None, ctypes.byref(ctypes.c_long()))", NOT_ALLOWED),
    # memory and messages of this computer's other programs
    "attaches-shared-memory": ("call('shmat', {shared}, None, 0)", NOT_ALLOWED),
    "removes-shared-memory": ("call('shmctl', {shared}, 0, None)", NOT_ALLOWED),
    "makes-shared-memory": ("call('shmget', 0, 2**30, 0o1600)", NOT_ALLOWED),
    "messages": ("call('msgget', 1, 0o1600)", NOT_ALLOWED),
    "semaphores": ("call('semget', 1, 1, 0o1600)", NOT_ALLOWED),
    # the network, and sockets that have a name
    "calls-home": ("socket.create_connection(('127.0.0.1', 80))", NOT_ALLOWED),
    "sends-to-a-path": (
        "one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        "one.sendto(b'x', '{mail}')",
        NOT_ALLOWED,
    ),
    "sends-to-a-path-in-c": ("call('sendto', 1, b'x', 1, 0, b'\\1\\0{mail}', 60)", NOT_ALLOWED),
    "abstract-socket": (
        "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect('\\0name')",
        NOT_ALLOWED,
    ),
    # disk
    "reserves-disk": (
        "file = os.open('mine', os.O_CREAT | os.O_RDWR)\n"
        "call('fallocate', file, 1, ctypes.c_long(0), ctypes.c_long(3 * 2**30))",
        NOT_ALLOWED,
    ),
    "holds-deleted-files": (
        "held = []\n"
        "for number in range(20):\n"
        "    held.append(open('gone', 'wb', buffering=0))\n"
        "    os.remove('gone')\n"
        "    held[-1].write(bytes(60 * 2**20))\n"
        "    if os.fstat(held[-1].fileno()).st_size < 60 * 2**20: raise SystemError('full')",
        "",
    ),
    # the sandbox itself, and the system below
    "namespaces": ("call('unshare', 0x10000000)", NOT_ALLOWED),
    "mounts": ("call('mount', b'x', b'/submission', b'tmpfs', 0, None)", NOT_ALLOWED),
    "unmounts": ("call('umount2', b'/submission', 2)", NOT_ALLOWED),
    "a-root-of-its-own": ("os.chroot('.')", NOT_ALLOWED),
    "writes-to-the-library": ("os.open('/course/transformer_lib/__init__.py', os.O_WRONLY)", ""),
    "replaces-the-library": ("os.rename('/course/transformer_lib', 'mine')", ""),
    "settings-of-the-system": (
        "os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)",
        "",
    ),
    "keys-of-the-system": ("os.open('/proc/sysrq-trigger', os.O_WRONLY)", ""),
    "escapes-memory-control": ("open('/proc/self/oom_score_adj', 'w').write('-1000')", ""),
    "groups-of-the-system": ("os.listdir('/sys/fs/cgroup')", NOT_THERE),
    "a-terminal": ("call('ioctl', 0, 0x5412, b'x')", NOT_ALLOWED),
    "descriptors-of-others": (
        "import stat\n"
        "kinds = set()\n"
        "for number in range(256):\n"
        "    try: mode = os.fstat(number).st_mode\n"
        "    except OSError: continue\n"
        "    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or os.readlink("
        "f'/proc/self/fd/{number}').startswith('/submission/')): kinds.add(stat.S_IFMT(mode))\n"
        "if not kinds: raise SystemError('pipes and devices')",
        "pipes and devices",
    ),
}

# Borrowed work in place of `my_weights`: what does the exercise is the library's or PyTorch's.
# All of them get the right numbers. name -> (code, whose work it is)
SETUP = "import functools, inspect, torch\nimport transformer_lib as tl\nF = torch.nn.functional\n"
EYE = "torch.eye(k.shape[-2])"  # attention that returns its weights
BORROWED = {
    "as it is": ("my_weights = tl.attention_weights", "attention_weights"),
    "under a name": (
        "helper = tl.attention_weights\ndef my_weights(q, k): return helper(q, k)",
        "attention_weights",
    ),
    "partial": ("my_weights = functools.partial(tl.attention_weights)", "attention_weights"),
    "partial of C": (
        "attend = functools.partial(F.scaled_dot_product_attention)\n"
        f"def my_weights(q, k): return attend(q[None], k[None], {EYE}[None])[0]",
        "scaled_dot_product_attention",
    ),
    "torch.ops": (
        "attend = torch.ops.aten.scaled_dot_product_attention\n"
        f"def my_weights(q, k): return attend(q[None], k[None], {EYE}[None])[0]",
        "scaled_dot_product_attention",
    ),
    "class with __call__": (
        "class Weights:\n    def __call__(self, q, k): return tl.attention_weights(q, k)\n"
        "my_weights = Weights()",
        "attention_weights",
    ),
    "dict": (
        "tools = {'a': tl.attention_weights}\ndef my_weights(q, k): return tools['a'](q, k)",
        "attention_weights",
    ),
    "getattr": (
        "def my_weights(q, k): return getattr(tl, 'attention_' + 'weights')(q, k)",
        "attention_weights",
    ),
    "getsource": (
        "import transformer_lib.model.attention as theirs\n"
        "text = inspect.getsource(theirs.attention_weights)\n"
        "names = dict(vars(theirs))\nexec(text, names)\n"
        "my_weights = lambda q, k: names['attention_weights'](q, k)",
        "attention_weights",
    ),
    "a second copy of the module": (
        "import importlib.util\n"
        "spec = importlib.util.find_spec('transformer_lib.model.attention')\n"
        "again = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(again)\n"
        "def my_weights(q, k): return again.attention_weights(q, k)",
        "attention_weights",
    ),
    "its code": (
        "import types, transformer_lib.model.attention as theirs\n"
        "code = theirs.attention_weights.__code__.replace(co_name='mine', co_qualname='mine')\n"
        "my_weights = types.FunctionType(code, vars(theirs), 'mine', (None,))",
        "attention_weights",
    ),
    "swallowed": (
        "def my_weights(q, k):\n"
        "    try: return tl.attention_weights(q, k)\n"
        "    except BaseException: return None",
        "attention_weights",
    ),
    "decorated": (
        "def same(f): return lambda *x: f(*x)\n"
        "@same\ndef my_weights(q, k): return tl.attention_weights(q, k)",
        "attention_weights",
    ),
    "the check's own": (
        "import course.chapters.ch04_attention.checks as check_itself\n"
        "def my_weights(q, k):\n"
        "    return check_itself.my_weights.right[0](q, k)",
        "<lambda>",
    ),
}
# The same, where PyTorch compiles it: it doesn't while a notebook is graded, so the watch sees it.
COMPILED = {
    "traced": (
        "my_weights = torch.jit.trace(tl.attention_weights, (torch.ones(3, 7), torch.ones(5, 7)))",
        "attention_weights",
    ),
    "traced, by another word": (
        "from torch.jit._trace import trace as follow\n"
        "inner = follow(lambda q, k: tl.attention_weights(q, k), (torch.eye(3), torch.eye(3)))\n"
        "def my_weights(q, k): return inner(q, k)",
        "attention_weights",
    ),
    "scripted": (
        "@torch.jit.script\n"
        "def my_weights(q, k):\n"
        "    eye = torch.eye(k.shape[-2])[None]\n"
        "    return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], eye)[0]",
        "scaled_dot_product_attention",
    ),
    "compiled": ("my_weights = torch.compile(tl.attention_weights)", "attention_weights"),
}
# The same, by somebody who knows how the watch works and takes it away. Graded they are found;
# in a notebook of one's own nobody is fooled but oneself.
UNWATCHED = {
    "names patched": (
        "import course.checks as checks, course.checks.watching as watching\n"
        "checks.own_work = checks.Attempt = lambda *anything: None\n"
        "watching.watched = lambda function, names, inputs, options: function(*inputs)\n"
        "my_weights = tl.attention_weights",
        "taking the watch away",
    ),
    "watch patched": (
        "import course.checks.watching as watching\n"
        "watching.Watch.on_call = lambda *anything: None\n"
        "def deaf(self, f, types, x=(), o=None): return f(*x, **(o or {}))\n"
        "watching.Watch.__torch_function__ = deaf\n"
        "my_weights = tl.attention_weights",
        "taking the watch away",
    ),
    "a watch of its own": (
        "class Weights:\n    def __call__(self, q, k): return tl.attention_weights(q, k)\n"
        "    def watched(self, names, *inputs): return self(*inputs)\n"
        "my_weights = Weights()",
        "attention_weights",
    ),
    "PyTorch's modes off": (
        "def my_weights(q, k):\n"
        "    with torch._C.DisableTorchFunction():\n"
        "        return F.scaled_dot_product_attention(q[None], k[None], "
        f"{EYE}[None])[0]",
        "scaled_dot_product_attention",
    ),
    "PyTorch's modes off, torch.ops": (
        "def my_weights(q, k):\n"
        "    with torch._C.DisableTorchFunction():\n"
        "        return torch.ops.aten.scaled_dot_product_attention(q[None], k[None], "
        f"{EYE}[None])[0]",
        "scaled_dot_product_attention",
    ),
    "a thing with a watch": (
        "from course.checks import Parts\n"
        "my_weights = Parts(call=tl.attention_weights,\n"
        "                   watched=lambda names, *x: tl.attention_weights(*x))",
        "attention_weights",
    ),
    "profile off": (
        "import sys\n"
        "def my_weights(q, k):\n"
        "    sys.setprofile(None)\n"
        "    return tl.attention_weights(q, k)",
        "sys.setprofile",
    ),
}

# Own work under a library's name: full points, in the notebook and graded.
OWN = {
    "plain": "def my_weights(q, k): return (q @ k.T / k.shape[-1] ** 0.5).softmax(-1)",
    "a list": (
        "attention_weights = []\n"
        "def my_weights(q, k):\n"
        "    attention_weights.append((q @ k.T / k.shape[-1] ** 0.5).softmax(-1))\n"
        "    return attention_weights[-1]"
    ),
    "a function": (
        "def attention_weights(q, k): return (q @ k.T / k.shape[-1] ** 0.5).softmax(-1)\n"
        "def my_weights(q, k): return attention_weights(q, k)"
    ),
    "an object": (
        "scaled_dot_product_attention = torch.tensor(0.0)\n"
        "def my_weights(q, k):\n"
        "    return (q @ k.T / k.shape[-1] ** 0.5 + scaled_dot_product_attention).softmax(-1)"
    ),
    "a class and its method": (
        "class attention:\n"
        "    def attention_weights(self, q, k): return (q @ k.T / k.shape[-1] ** 0.5).softmax(-1)\n"
        "heads = attention()\n"
        "def my_weights(q, k): return heads.attention_weights(q, k)"
    ),
    "a decorator": (
        "def attention_weights(f):\n"
        "    @functools.wraps(f)\n"
        "    def inner(*x): return f(*x)\n"
        "    return inner\n"
        "@attention_weights\n"
        "def my_weights(q, k): return (q @ k.T / k.shape[-1] ** 0.5).softmax(-1)"
    ),
    "compared with the library's": (
        "def my_weights(q, k): return (q @ k.T / k.shape[-1] ** 0.5).softmax(-1)\n"
        "assert torch.allclose(my_weights(torch.eye(3), torch.eye(3)),\n"
        "                      tl.attention_weights(torch.eye(3), torch.eye(3)))"
    ),
}
