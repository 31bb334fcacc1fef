//! What the operations take and answer, as TypeScript: written from the declarations of the arguments and answers themselves, so that no
//! second struct says the same again. `types.d.ts` of this crate is the result; the build of the engine puts it in front of the functions.

mod answers;
mod inputs;
mod typescript;

pub use answers::answers;
pub use inputs::inputs;
pub use typescript::typescript;
