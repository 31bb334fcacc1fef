//! One file changes in one respect, and with it the resolution of a call in another file, which must be resolved again.

use std::fs;

use crate::support::{Project, read_lines, text};

struct Case {
    what: &'static str,
    /// The file that changes: path, text, new text.
    changed: (&'static str, &'static str, &'static str),
    /// The files that do not change, the one with the call first.
    others: &'static [(&'static str, &'static str)],
    /// The name that is called.
    call: &'static str,
}

const CASES: [Case; 10] = [
    Case {
        what: "a class becomes a function of the same name",
        changed: ("a.js", "class load {}\n", "function load() {}\n"),
        others: &[("b.js", "function f() { load() }\n")],
        call: "load",
    },
    Case {
        what: "a function comes out of another one",
        changed: (
            "a.js",
            "function g() { function load() {} }\n",
            "function g() {}\nfunction load() {}\n",
        ),
        others: &[("b.js", "function f() { load() }\n")],
        call: "load",
    },
    Case {
        what: "a method goes to another type",
        changed: ("a.cpp", "void Cart::load() {}\n", "void Item::load() {}\n"),
        others: &[("b.cpp", "class Item { int x; };\nvoid f(Item item) { item.load(); }\n")],
        call: "load",
    },
    Case {
        what: "a function comes out of a module",
        changed: ("src/a.rs", "mod x { pub fn load() {} }\n", "pub fn load() {}\n"),
        others: &[
            ("src/f.rs", "use crate::a::load;\nfn f() { load(); }\n"),
            ("src/a/mod.rs", "pub fn load() {}\n"),
        ],
        call: "load",
    },
    Case {
        what: "a second function makes a name mean two",
        changed: (
            "a.js",
            "function other() {}\n",
            "function other() {}\nfunction load() {}\n",
        ),
        others: &[("b.js", "function f() { load() }\n"), ("c.js", "function load() {}\n")],
        call: "load",
    },
    Case {
        what: "a value gets another type",
        changed: (
            "a.ts",
            "import { Cart, Item } from './types'\nexport const cart = new Cart()\n",
            "import { Cart, Item } from './types'\nexport const cart = new Item()\n",
        ),
        others: &[
            ("b.ts", "import { cart } from './a'\nfunction f() { cart.load() }\n"),
            (
                "types.ts",
                "export class Cart { load() {} }\nexport class Item { load() {} }\n",
            ),
        ],
        call: "load",
    },
    Case {
        what: "a type gets another base",
        changed: (
            "a.py",
            "from types_ import A, B\n\nclass Cart(A):\n    pass\n",
            "from types_ import A, B\n\nclass Cart(B):\n    pass\n",
        ),
        others: &[
            ("b.py", "from a import Cart\n\ndef f(cart: Cart):\n    cart.load()\n"),
            (
                "types_.py",
                "class A:\n    def load(self):\n        pass\n\nclass B:\n    def load(self):\n        pass\n",
            ),
        ],
        call: "load",
    },
    Case {
        what: "a name is handed on from another file, two files away",
        changed: (
            "c.js",
            "export { one as load } from './d.js'\n",
            "export { two as load } from './d.js'\n",
        ),
        others: &[
            ("a.js", "import { load } from './b.js'\nfunction f() { load() }\n"),
            ("b.js", "export * from './c.js'\n"),
            ("d.js", "export function one() {}\nexport function two() {}\n"),
        ],
        call: "load",
    },
    Case {
        what: "a file says that it is of another package",
        changed: (
            "A.java",
            "package one;\nclass Cart { static void load() {} }\n",
            "package two;\nclass Cart { static void load() {} }\n",
        ),
        others: &[("B.java", "package two;\nclass B { void f() { Cart.load(); } }\n")],
        call: "load",
    },
    Case {
        what: "definitions above move what a call leads to",
        changed: (
            "a.js",
            "export function load() {}\n",
            "export function more() {}\nexport function load() {}\n",
        ),
        others: &[("b.js", "import { load } from './a.js'\nfunction f() { load() }\n")],
        call: "load",
    },
];

fn files(project: &Project) -> Vec<Vec<u8>> {
    ["chunks.jsonl", "edges.jsonl", "graph.bin", "facts.bin", "meta.json"]
        .iter()
        .map(|name| fs::read(project.lattice_file(name)).unwrap())
        .collect()
}

/// Returns the targets of the calls of a name, and how they were resolved.
fn targets(project: &Project, call: &str) -> Vec<(String, String)> {
    let edges = read_lines(&project.lattice_file("edges.jsonl"));
    let calls = edges.iter().filter(|edge| text(edge, "calleeName") == call);
    calls
        .map(|edge| {
            (
                text(edge, "calleeChunkId").to_owned(),
                text(edge, "resolved").to_owned(),
            )
        })
        .collect()
}

#[test]
fn a_file_is_resolved_again_when_a_called_name_has_a_new_target() {
    for case in CASES {
        let project = Project::new();
        let (path, old, new) = case.changed;
        project.write_at(path, old, 0);
        project.write_at("Cargo.toml", "[package]\nname = \"x\"\n", 0);
        for (path, text) in case.others {
            project.write_at(path, text, 0);
        }
        for at in 0..20 {
            project.write_at(&format!("near/n{at}.py"), format!("def near{at}():\n    pass\n"), 0);
        }
        project.index();
        let before = targets(&project, case.call);
        project.write_at(path, new, 1);
        project.index();
        let (patched, after) = (files(&project), targets(&project, case.call));
        fs::remove_dir_all(project.path(".forge")).unwrap();
        project.index();
        assert_eq!(after, targets(&project, case.call), "{}", case.what);
        assert!(patched == files(&project), "{}", case.what);
        let is_moved = case.what.starts_with("definitions above");
        assert_eq!(before == after, is_moved, "{}: {before:?}", case.what);
    }
}
