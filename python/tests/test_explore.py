"""The explorer, the HTML for notebooks, and the command line program of the package."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import pytest
import quaff


def asked(explorer):
    """The inputs in the address of an explorer: texts, or lists of texts for fields that are lists."""
    pairs = urllib.parse.parse_qsl(explorer.address.split("#")[1])
    inputs = {name: value for name, value in pairs if name not in ("var", "assume", "uniform")}
    for name, field in (("var", "vars"), ("assume", "assume"), ("uniform", "uniform")):
        inputs[field] = [value for other, value in pairs if other == name]
    return inputs


def answered(explorer):
    """The view that the page of an explorer asks for."""
    inputs = asked(explorer)
    view = inputs.pop("view")
    body = json.dumps({"view": view, "input": inputs}).encode()
    request = urllib.request.Request(explorer.address.split("#")[0] + "api", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return view, json.load(response)


def accesses():
    load = quaff.Access("t//4*4 + t%4", "t < 100", buffer="in")
    store = quaff.Access("t%4", buffer="out", store="v")
    return quaff.simplify_accesses([load, store], "t=0..127")


KERNEL = json.dumps(
    {
        "vars": {"t": [0, 127]},
        "accesses": [
            {"expr": "t//4*4 + t%4", "gate": "t < 100", "buf": "in", "kind": "load"},
            {"expr": "t%4", "gate": None, "buf": "out", "kind": "store"},
        ],
    }
)
QUESTIONS = [
    (lambda: quaff.simplify("(i*4 + j)//4", "i=0..9, j=0..3"), "answer", ["(i*4 + j)//4", "i</code>"]),
    (lambda: quaff.simplify_all(["i + 1", "i*4//4"], "i=0..9"), "answer", ["i + 1"]),
    (lambda: quaff.simplify_many(["i*4//4"], "i=0..9")[0], "answer", ["i*4//4"]),
    (lambda: quaff.explain("x//7//8", "x=0..9999"), "story", ["x//56"]),
    (lambda: quaff.explain("x//7//8", "x=0..9999").answer, "answer", ["x//56"]),
    (accesses, "kernel", ["t &lt; 100", "out"]),
    (lambda: quaff.rewrite("__global__ void f(float* p) { p[threadIdx.x * 4 / 4] = 0; }", "cuda"), "kernel", ["__global__"]),
    (lambda: quaff.Layout("(4,8):(8,1)"), "layout", ["31"]),
    (lambda: quaff.Expr("7//2"), "answer", ["3"]),
    (lambda: quaff.View([8, 12]), "layout", ["<h2>View", "(8, 12)"]),
    (lambda: quaff.View([8, 12]).permute([1, 0]), "layout", ["<h2>View", "(12, 8)"]),
    (lambda: quaff.View([8, 12]).flip([1]), "layout", ["<h2>View", "11"]),
    (lambda: quaff.View([8, 12]).pad([(0, 0), (1, 1)]), "layout", ["<h2>View", "(8, 14)"]),
    (lambda: quaff.View([8, 12]).permute([1, 0]).reshape([96]), "layout", ["<h2>View", "96"]),
    (lambda: quaff.View(["n", 12], "n=1..8"), "layout", ["<h2>View", "n"]),
    (lambda: quaff.SymbolicLayout("(M,4):(4,1)", "M=1..64"), "layout", ["(M,4):(4,1)"]),
    (lambda: ["7//2", quaff.Expr(5), 6], "answer", ["7//2", "3"]),
    (lambda: quaff.simplify_many(["i*4//4", "i + 1"], "i=0..9"), "answer", ["i*4//4", "i + 1"]),
    (lambda: KERNEL, "kernel", ["t &lt; 100", "out"]),
]


@pytest.mark.parametrize(("make", "view", "texts"), QUESTIONS)
def test_the_page_shows_each_answer_with_its_question(make, view, texts):
    with quaff.explore(make(), browser=False) as explorer:
        shown, response = answered(explorer)
    assert (shown, response["problems"]) == (view, [])
    assert all(text in response["html"] for text in texts), response["html"]


def test_all_that_a_domain_says_is_in_the_address():
    text = "n=1..4, k=0..n - 1 step 2, invariant n, loop k, nonempty k, assume k < 2, defined"
    with quaff.explore("k//n", text, browser=False) as explorer:
        inputs = asked(explorer)
        _, response = answered(explorer)
    assert inputs["vars"] == ["n=1..4", "k=0..n - 1 step 2"]
    assert inputs["uniform"] == ["n"]
    assert inputs["assume"] == ["loop k", "nonempty k", "k < 2", "defined"]
    assert response["problems"] == []


def test_an_answer_of_unknown_question_is_shown_itself():
    import pickle

    answer = pickle.loads(pickle.dumps(quaff.simplify("(i*4 + j)//4", "i=0..9, j=0..3")))
    with quaff.explore(answer, browser=False) as explorer:
        assert asked(explorer)["text"] == "i" and asked(explorer)["vars"] == ["i=0..9"]
    assert "<del>" not in answer._repr_html_()


def test_lists_are_lines_under_one_domain():
    with quaff.explore(["i + j", "j*4//4"], "i=0..9, j=0..3", browser=False) as explorer:
        inputs = asked(explorer)
        _, response = answered(explorer)
    assert (inputs["text"], inputs["vars"], response["problems"]) == ("i + j\nj*4//4", ["i=0..9", "j=0..3"], [])
    with quaff.explore(quaff.simplify_many(["i*4//4", "i + 1"], "i=0..9"), browser=False) as explorer:
        inputs = asked(explorer)
    assert (inputs["text"], inputs["vars"]) == ("i*4//4\ni + 1", ["i=0..9"])
    with pytest.raises(ValueError, match="several domains"):
        quaff.explore([quaff.simplify("i", "i=0..9"), quaff.simplify("i", "i=0..8")], browser=False)


def test_views_are_views_and_no_layouts():
    image = quaff.View([8, 12]).permute([1, 0])
    for view in (image, image.flip([0]), image.reshape([96]), image.pad([(1, 0), (0, 0)]), quaff.View([3, 4])):
        with quaff.explore(view, browser=False) as explorer:
            assert quaff.View.parse(asked(explorer)["chain"]) == view
    sizes = quaff.View(["n", 12], "n=1..8").permute([1, 0])
    with quaff.explore(sizes, browser=False) as explorer:
        inputs = asked(explorer)
    assert inputs["vars"] == ["n=1..8"] and quaff.View.parse(inputs["chain"], "n=1..8") == sizes


def test_texts_have_a_language_or_are_a_layout():
    with quaff.explore("a / 4", "a=-9..9", language="c", browser=False) as explorer:
        assert answered(explorer)[0] == "answer" and asked(explorer)["from"] == "c"
    with quaff.explore("shape(8, 12).permute(1, 0)", view="layout", browser=False) as explorer:
        view, response = answered(explorer)
    assert view == "layout" and response["problems"] == []


def test_notes_of_a_rewritten_file_are_shown():
    text = "__global__ void f(int* x, int n) { x[0] = n / 64 * 64 + n % 64; }"
    rewritten = quaff.rewrite(text, "cuda", notes=["n in 0..4096", "n % 64 < 60"])
    with quaff.explore(rewritten, browser=False) as explorer:
        assert asked(explorer)["assume"] == ["n in 0..4096", "n % 64 < 60"]
        _, response = answered(explorer)
    assert response["problems"] == [] and "x[0] = n" in response["html"]


@pytest.mark.parametrize(
    ("what", "hint"),
    [
        (quaff.Dims, r"Dims; it shows `dims\.get"),
        (quaff.Domain, "Domain; it shows expressions"),
        (quaff.facts, "Facts; it shows expressions"),
        (lambda: [quaff.Dims()], r"Dims; it shows `dims\.get"),
    ],
)
def test_what_no_page_shows_is_refused_with_what_it_shows(what, hint):
    with pytest.raises(TypeError, match=hint):
        quaff.explore(what(), browser=False)


def test_texts_of_source_files_and_of_json_say_what_is_missing():
    with pytest.raises(ValueError, match="needs its language"):
        quaff.explore("__global__ void f(int* x) { x[0] = 1; }", browser=False)
    with pytest.raises(ValueError, match="is a kernel as JSON"):
        quaff.explore('{"vars": ', browser=False)


@pytest.mark.parametrize("port", [-1, 65536, 70000])
def test_a_port_that_is_none_is_refused_with_the_range(port):
    with pytest.raises(ValueError, match=rf"in 0\.\.65535, and not {port}$"):
        quaff.explore(port=port, browser=False)


def test_an_expression_that_no_page_holds_is_refused():
    long = quaff.var("i")
    for _ in range(40):
        long = quaff.Expr.make("min", long, long + 1)
    with pytest.raises(ValueError, match="the page cannot show the expression"):
        quaff.explore(long, "i=0..3", browser=False)


def test_a_closed_explorer_answers_nothing():
    explorer = quaff.explore(browser=False)
    assert "#" not in explorer.address and explorer.address in explorer._repr_html_()
    with urllib.request.urlopen(explorer.address) as page:
        assert page.read().startswith(b"<!DOCTYPE html>")
    assert explorer.address in repr(explorer)
    explorer.close()
    explorer.close()
    assert repr(explorer) == "<Explorer, closed>" and "href" not in explorer._repr_html_()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(explorer.address)


def test_wrong_arguments_say_why():
    with pytest.raises(ValueError, match="no view is called"):
        quaff.explore("i", view="pages", browser=False)
    with pytest.raises(ValueError, match="dialect"):
        quaff.explore("i", language="latin", browser=False)
    with pytest.raises(TypeError):
        quaff.explore(2.5, browser=False)
    with pytest.raises(quaff.ParseError):
        quaff.explore("i +", browser=False)
    with quaff.explore(browser=False) as explorer:
        port = int(explorer.address.split(":")[2].split("/")[0])
        with pytest.raises(OSError):
            quaff.explore(port=port, browser=False)


@pytest.mark.parametrize(
    "shown",
    [
        quaff.simplify("(i*4 + j)//4", "i=0..9, j=0..3"),
        quaff.explain("x//7//8", "x=0..9999"),
        accesses(),
        quaff.View([8, 12]),
        quaff.View(["n", 12], domain="n=1..8"),
        quaff.bank_conflicts("t*32", "t", "t=0..31"),
    ],
)
def test_notebooks_show_pages_without_scripts(shown):
    html = shown._repr_html_()
    assert html.startswith('<div class="quaff notebook">') and html.endswith("</div>")
    assert "<script" not in html


def test_names_are_text_in_notebooks():
    assert "<x>" not in quaff.simplify_accesses([quaff.Access("i", buffer="in", store="a<x>b")], "i=0..1")._repr_html_()


def program(*words, **more):
    return subprocess.run([sys.executable, "-m", "quaff", *words], capture_output=True, text=True, **more)


def test_the_program_is_in_the_package():
    done = program("simplify", "(i*4 + j)//4", "--var", "i=0..9", "--var", "j=0..3")
    assert (done.returncode, done.stdout, done.stderr) == (0, "i\n", "")
    done = program("simplify", "-", input="i*2//2\n")
    assert done.returncode == 1 and "i" in done.stderr
    assert program("simplfy").returncode == 64
    assert program("--version").stdout == f"quaff {quaff.__version__}\n"


def test_an_interrupt_ends_the_explorer():
    command = [sys.executable, "-m", "quaff", "explore", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        assert running.stdout.readline().startswith("http://127.0.0.1:")
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == -signal.SIGINT
