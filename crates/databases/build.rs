//! Links what Node-API asks for.

fn main() {
    napi_build::setup();
}
