//! Pieces of source text with a few names in them, which define, import, re-export, extend and call.

/// A language: its file extension, the possible beginnings of a file, and its possible content. In the texts, `a` to `c` in
/// angle brackets are placeholders of names, `S` and `T` of types, `m` of a file.
pub struct Language {
    pub end: &'static str,
    pub heads: [&'static str; HEADS],
    pub snippets: &'static [&'static str],
}

/// The number of possible beginnings: in languages with packages, files of one or another.
pub const HEADS: usize = 2;

/// One piece of a file.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub snippet: u8,
    pub names: [u8; 6],
}

const NAMES: [&str; 4] = ["load", "store", "render", "price"];
const TYPES: [&str; 3] = ["Cart", "Item", "Shop"];
const MODULES: [&str; 4] = ["m0", "m1", "m2", "m3"];

pub const LANGUAGES: [Language; 13] = [
    Language {
        end: "js",
        heads: ["", "'use strict'\n"],
        snippets: &SCRIPT,
    },
    Language {
        end: "ts",
        heads: ["", "// more\n"],
        snippets: &TYPED,
    },
    Language {
        end: "py",
        heads: ["", "import os\n"],
        snippets: &PYTHON,
    },
    Language {
        end: "rs",
        heads: ["", "//! More.\n"],
        snippets: &RUST,
    },
    Language {
        end: "go",
        heads: ["package shop\n", "package other\n"],
        snippets: &GO,
    },
    Language {
        end: "java",
        heads: ["package shop;\n", "package other;\n"],
        snippets: &JAVA,
    },
    Language {
        end: "rb",
        heads: ["", "# more\n"],
        snippets: &RUBY,
    },
    Language {
        end: "h",
        heads: ["#pragma once\n", ""],
        snippets: &CPP,
    },
    Language {
        end: "cpp",
        heads: ["", "// more\n"],
        snippets: &CPP,
    },
    Language {
        end: "cs",
        heads: ["namespace Shop;\n", "namespace Other;\n"],
        snippets: &CSHARP,
    },
    Language {
        end: "php",
        heads: ["<?php\nnamespace Shop;\n", "<?php\nnamespace Other;\n"],
        snippets: &PHP,
    },
    Language {
        end: "sh",
        heads: ["", "# more\n"],
        snippets: &["<a>() { <b>; <c>; }", "source ./<m>.sh", "<a>", "function <a> { <a>; }"],
    },
    Language {
        end: "sql",
        heads: ["", "-- more\n"],
        snippets: &[
            "CREATE TABLE <a> (x int);",
            "CREATE VIEW <a> AS SELECT * FROM <b>;",
            "SELECT * FROM <a>;",
        ],
    },
];

const SCRIPT: [&str; 22] = [
    "class <a> { <b>() { <c>() } }",
    "function <T>() { <a>() }",
    "import { <a> } from './<m>.js'",
    "import { <a> as <b> } from './<m>.js'",
    "import { <T> } from '<m>/<m>.js'",
    "import * as <b> from './<m>.js'",
    "import <T> from './<m>.js'",
    "import <a> from './<m>.js'",
    "const { <a> } = require('./<m>')",
    "export * from './<m>.js'",
    "export { <a> as <b> } from './<m>.js'",
    "export { <T>, <T> as default } from './<m>.js'",
    "export { <a> as <c> }",
    "export function <a>() { return <b>() + <c>() }",
    "export default function <a>(x) { x.<b>() }",
    "export class <T> extends <S> { <a>() { this.<b>(); super.<c>(); return new <S>() } }",
    "export default class <T> { static <a>() {} <b>() { <T>.<a>() } }",
    "class <T> { constructor() { this.y = new <S>() } <a>() { this.y.<b>() } }",
    "export const <a> = new <T>()",
    "export const <a> = { <b>() { <c>() } }",
    "function <c>(<a>, x) { <a>(); <a>.<b>(); x.<b>() }",
    "<a>.<b>(); <T>.<a>(); new <T>().<b>(); <b>(<a>)",
];

const TYPED: [&str; 18] = [
    "export class <a> { <b>() { new <c>() } }",
    "export function <T>() { new <S>() }",
    "import { <a> } from './<m>.js'",
    "import { <T> } from '../<m>'",
    "import type { <T> as <S> } from './<m>'",
    "import * as <b> from './sub/<m>'",
    "export * from './<m>'",
    "export { <T> as <S> } from './<m>'",
    "export function <a>(x: <T>) { x.<b>(); x.y.<c>() }",
    "export class <T> extends <S> { y: <S>; <a>() { this.y.<b>(); this.<c>() } }",
    "export interface <T> { <a>(): void }",
    "export class <T> implements <S> { <a>(cart: <S>) { cart.<b>() } }",
    "export const <a>: <T> = new <T>()",
    "export namespace <T> { export function <a>() { <b>() } }",
    "export default class <T> { <a>() { <b>() } }",
    "function <c>(item, cart) { item.<a>(); cart.<b>(); cart.y.<a>() }",
    "<a>.<b>(); <T>.<a>(); new <T>().<b>()",
    "export function <b>() { return <a>() }",
];

const PYTHON: [&str; 16] = [
    "class <a>:\n    pass",
    "def <T>():\n    <S>()",
    "from .<m> import <a>",
    "from .<m> import <a> as <b>",
    "from . import <m>",
    "from sub.<m> import <T>",
    "from .<m> import *",
    "import sub.<m>",
    "import <m> as <a>",
    "def <a>():\n    <b>()\n    <m>.<c>()\n    sub.<m>.<a>()",
    "class <T>(<S>):\n    def <a>(self):\n        self.<b>()\n        super().<c>()\n        <S>().<a>()",
    "class <T>:\n    y: <S>\n    def <a>(self, x: <S>):\n        self.y.<b>()\n        x.<c>()",
    "def <a>(x: <T>, item):\n    x.<b>()\n    item.<c>()",
    "<a> = <T>()",
    "<a>.<b>()",
    "@<a>\ndef <b>():\n    <c>()",
];

const RUST: [&str; 19] = [
    "pub struct <a>;",
    "pub fn <T>() { <S>(); }",
    "use crate::<m>::<b>; fn <c>() { <b>(); }",
    "use crate::<m>::<a>;",
    "use crate::sub::<m>::{<T>, <a>};",
    "use crate::<m>::*;",
    "use super::<m>::<a> as <b>;",
    "pub use crate::<m>::<T>;",
    "use shop::<T>;",
    "pub fn <a>() { <b>(); crate::<m>::<c>(); <T>::<a>(); }",
    "pub struct <T> { y: <S> }",
    "impl <T> { pub fn <a>(&self) { self.<b>(); self.y.<c>(); <S>::<a>(); Self::<b>(); } }",
    "pub trait <T> { fn <a>(&self) { self.<b>(); } }",
    "impl <T> for <S> { fn <a>(&self) { self.<c>() } }",
    "pub mod <m> { pub fn <b>() { super::<c>(); } }",
    "fn <a>(x: &<T>, item: u8) { x.<b>(); item.<c>(); x.y.<a>(); }",
    "macro_rules! <a> { () => { <b>() } }",
    "fn <c>() { <a>!(); <m>::<b>(); let x = <T>::<a>(); x.<b>(); }",
    "pub enum <T> { Load, Store }",
];

const GO: [&str; 10] = [
    "type <a> struct { y <S> }",
    "import \"shop/sub\"",
    "import \"other\"",
    "func <a>() { <b>(); sub.<c>() }",
    "type <T> struct { y <S>; <S> }",
    "type <T> interface { <a>() }",
    "func (t *<T>) <a>() { t.<b>(); t.y.<c>(); t.<S>.<a>() }",
    "func <a>(x <T>, item int) { x.<b>(); item.<c>() }",
    "func <c>() { x := &<T>{}; x.<a>() }",
    "var <a> <T>",
];

const JAVA: [&str; 9] = [
    "class <a> { void <b>() { new <c>(); } }",
    "import shop.<T>;",
    "import other.*;",
    "import static shop.<T>.<a>;",
    "class <T> extends <S> { <S> y; void <a>() { <b>(); y.<c>(); super.<a>(); this.<b>(); } }",
    "class <T> { static void <a>() { <S>.<b>(); new <S>().<c>(); } }",
    "interface <T> { void <a>(); }",
    "class <T> implements <S> { void <a>(<S> x, int item) { x.<b>(); item.<c>(); <b>(); } }",
    "enum <T> { ONE; void <a>() { <b>(); } }",
];

const RUBY: [&str; 9] = [
    "def <T>(x)\n  <S>(1)\nend",
    "require_relative '<m>'",
    "class <T> < <S>\n  def <a>\n    <b>\n    super\n    @y.<c>\n  end\nend",
    "class <T>\n  def initialize\n    @y = <S>.new\n  end\n  def <a>\n    @y.<b>\n    <c>\n  end\nend",
    "module <T>\n  def self.<a>\n    <b>()\n  end\nend",
    "def <a>(item)\n  <b>(1)\n  item.<c>\n  <T>.new.<b>\nend",
    "<T>.<a>",
    "class <T>\n  include <S>\nend",
    "<a>",
];

const CPP: [&str; 14] = [
    "class <a> { int y; };",
    "int <T>(int x) { return <S>(x); }",
    "#include \"<m>.h\"",
    "#include \"sub/<m>.h\"",
    "int <a>(void) { return <b>() + <c>(); }",
    "int <a>(int x);",
    "#define <a>(x) <b>(x)",
    "class <T> : public <S> { public: void <a>() { <b>(); this-><c>(); y.<a>(); } <S> y; };",
    "class <T> { void <a>(); <S> *y; };",
    "void <T>::<a>() { <b>(); y-><c>(); }",
    "void <a>(<T> &x, int item) { x.<b>(); <T>::<c>(); }",
    "namespace shop { void <a>() { <b>(); } }",
    "static int <c>() { <T> x; x.<a>(); return shop::<b>(); }",
    "struct <T> { int <a>; };",
];

const CSHARP: [&str; 8] = [
    "class <a> { void <b>() { new <c>(); } }",
    "using Shop;",
    "using Other;",
    "class <T> : <S> { <S> y; void <a>() { <b>(); y.<c>(); base.<a>(); } }",
    "static class <T> { public static void <a>() { <S>.<b>(); new <S>().<c>(); } }",
    "interface <T> { void <a>(); }",
    "class <T> { void <a>(<S> x, int item) { x.<b>(); item.<c>(); this.<b>(); } }",
    "struct <T> { void <a>() { <b>(); } }",
];

const PHP: [&str; 11] = [
    "class <a> { function <b>() { new <c>(); } }",
    "function <T>() { <S>(); }",
    "use Shop\\<T>;",
    "use Other\\<T> as <S>;",
    "use function Shop\\<a>;",
    "class <T> extends <S> { private <S> $y; function <a>() { $this-><b>(); $this->y-><c>(); parent::<a>(); <b>(); } }",
    "interface <T> { function <a>(); }",
    "trait <T> { function <a>() { self::<b>(); } }",
    "class <T> { use <S>; static function <a>() { static::<b>(); } }",
    "function <a>(<T> $x, $item) { $x-><b>(); $item-><c>(); <b>(); }",
    "(new <T>())-><a>(); <T>::<b>();",
];

/// Returns the text of a file.
pub fn source(language: &Language, head: usize, parts: &[Part]) -> String {
    let mut text = language.heads[head % HEADS].to_owned();
    for part in parts {
        let snippet = language.snippets[usize::from(part.snippet) % language.snippets.len()];
        let pick = |all: &[&'static str], at: usize| all[usize::from(part.names[at]) % all.len()];
        let filled = [
            ("<a>", pick(&NAMES, 0)),
            ("<b>", pick(&NAMES, 1)),
            ("<c>", pick(&NAMES, 2)),
            ("<T>", pick(&TYPES, 3)),
            ("<S>", pick(&TYPES, 4)),
            ("<m>", pick(&MODULES, 5)),
        ];
        let filled = filled
            .iter()
            .fold(snippet.to_owned(), |text, (hole, name)| text.replace(hole, name));
        text += &filled;
        text.push('\n');
    }
    text
}
