"""Answers questions with nv2a-vsh: one JSON object a line in, one a line out.

{"asm": TEXT, "final": BOOL}    the words of each slot, or errors, or an exception, and what was printed
{"c": TEXT}                     the listing instead of the words
{"dis": [WORDS], "explain": BOOL}
{"time_asm": [TEXT]}            nanoseconds a slot, the best of several rounds
{"time_dis": [[WORDS]]}
"""

import contextlib
import importlib.metadata
import io
import json
import sys
import time

from nv2a_vsh.assemble import assemble, assemble_to_c
from nv2a_vsh.disassemble import disassemble

ROUNDS = 7


def best(work, count):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        work()
        times.append(time.perf_counter_ns() - start)
    return {"ns": min(times) / count}


def answer(question):
    if "asm" in question:
        slots, errors = assemble(question["asm"], explicit_final=question["final"])
        if errors:
            return {"errors": [[e.line, e.column, e.message] for e in errors]}
        return {"words": slots}
    if "c" in question:
        listing, errors = assemble_to_c(question["c"])
        if errors:
            return {"errors": [[e.line, e.column, e.message] for e in errors]}
        return {"text": listing}
    if "dis" in question:
        return {"text": "\n".join(disassemble(question["dis"], explain=question["explain"]))}
    if "time_asm" in question:
        texts = question["time_asm"]
        slots = sum(len(assemble(text)[0]) for text in texts)
        return best(lambda: [assemble(text) for text in texts], slots)
    if "time_dis" in question:
        programs = question["time_dis"]
        slots = sum(len(program) for program in programs)
        return best(lambda: [disassemble(program, explain=False) for program in programs], slots)
    raise KeyError(question)


def main():
    out = sys.stdout
    print(json.dumps({"version": importlib.metadata.version("nv2a-vsh")}), file=out, flush=True)
    for line in sys.stdin:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                result = answer(json.loads(line))
        except Exception as e:  # whatever stops it is an answer
            result = {"exception": f"{type(e).__name__}: {e}"}
        result["printed"] = printed.getvalue()
        print(json.dumps(result), file=out, flush=True)


main()
