//! The variables of the environment that are read, with the text of their row in `docs/reference/configuration.md`. Those without a text
//! belong to terminals, to other programs or to the tests, and have no row.

/// A row: its variables, each with its default, and what they do.
pub type Row = (&'static [(&'static str, Option<&'static str>)], &'static str);

macro_rules! variables {
    ($([$($name:ident $(= $default:literal)?),+] $text:literal)*) => {
        $($(
            #[doc = concat!("The name of `", stringify!($name), "`.")]
            #[allow(non_upper_case_globals)]
            pub const $name: &str = stringify!($name);
        )+)*

        /// All of them, in the order of their page.
        pub const VARIABLES: &[Row] = &[$((&[$((stringify!($name), variables!(@ $($default)?))),+], $text)),*];
    };
    (@) => { None };
    (@ $default:literal) => { Some($default) };
}

variables! {
    [FORGE_HOME] "the user's own folder, instead of `~/.forge`"
    [FORGE_OPENBRAIN_URL] "the shared store; takes precedence over all files, and needs no approval"
    [OPENBRAIN_KEY, FORGE_EMBEDDER_KEY]
        "keys of the store and the embedder; take precedence over files; for `FORGE_OPENBRAIN_URL` there are no others"
    [FORGE_CREATED_BY]
        "the author of your captures, instead of `you` in files and of the identity of git in a shared store; `git` for that everywhere ([settings](../teams.md#settings))"
    [FORGE_AS] "`person`: a script speaks as the person who gave it leave, as with `--as person` ([who speaks](../truth.md#who-speaks))"
    [PGPASSWORD, PGUSER] "as for every PostgreSQL client"
    [DATABASE_URL] "the database that `forge-memory store use` takes when it is called without one"
    [FORGE_MEMORY_TOKEN] "the token of the HTTP of `forge-memory mcp`, instead of a new one at every start"
    [FORGE_MEMORY_HOOK] "`node`: `init` writes hooks that start the launcher in Node instead of the native program ([hooks](../hooks.md))"
    [FORGE_MEMORY_HOOK_DEADLINE_MS] "how long a hook may take ([hooks](../hooks.md))"
    [FORGE_MEMORY] "`off` switches the memory off for agents ([switches](../hooks.md#switches))"
    [FORGE_PLAN] "the plan that a session is about ([hooks](../hooks.md))"
    [HF_ENDPOINT = "https://huggingface.co"] "a mirror for `forge-memory model install`"
    [PLAN_FORGE_HTTP_PORT = "3100"] "the port of the dashboard that a hub without a token admits"
    [FORGE_HUB_AUTH = "local"]
        "`token`: clients of a hub of `forge-memory/plan-forge` need the token ([the hub](../plan-forge.md#the-hub))"
    [PLAN_FORGE_WS_PORT = "3101"] "the port of a hub made by `createHub`"
    [NO_COLOR, FORCE_COLOR, COLORTERM, COLUMNS] "colours and width of what commands print"
    [FORCE_HYPERLINK] "`1` makes files hyperlinks everywhere, `0` nowhere"
    [PAGER, LESS = "FRX"]
        "the pager of lists that do not fit a terminal; `less` with `FRX` without them, `PAGER=cat` or `--no-pager` for none"
    [VISUAL, EDITOR] "the editor that `forge-memory edit ID` opens, with its arguments: `code --wait`"
    [TERM, TERM_PROGRAM, VTE_VERSION, KONSOLE_VERSION, KITTY_WINDOW_ID, WT_SESSION, DOMTERM, ConEmuTask, CI, TMUX, STY] ""
    [LANG, LC_ALL, LC_CTYPE, PATH, INIT_CWD, FORGE_MEMORY_DASHBOARD] ""
}
