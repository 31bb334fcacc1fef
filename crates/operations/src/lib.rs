//! What the operations answer, as TypeScript: written from the declarations of the answers themselves, so that no second struct says the
//! same again. `types.d.ts` of this crate is the result; the build of the engine puts it in front of the functions.

mod answers;
mod typescript;

pub use answers::answers;
pub use typescript::typescript;
