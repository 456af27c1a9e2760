//! Copying and filling memory in pieces: two wasm functions, written by hand.
//!
//! They cannot be Rust: the compiler turns a copy of any length into a call of the C library's, which is made of the very
//! instruction that these stand in for.

use wasm_encoder::{BlockType, Function, InstructionSink, ValType};

/// How much goes at a time: some fifty microseconds' worth, or a fraction of a millisecond on fresh pages.
const PIECE_BYTES: i32 = 1 << 20;

const TO: u32 = 0;
/// Where a copy comes from; what a fill consists of.
const FROM: u32 = 1;
const BYTES: u32 = 2;

/// `(to, from, bytes)`: what `memory.copy` does. Where the ranges overlap, the piece that would be overwritten goes first.
pub(crate) fn copy() -> Function {
    let mut function = Function::new_with_locals_types(Vec::<ValType>::new());
    let mut code = function.instructions();
    // Backwards, from the end: what is left is always the head.
    code.local_get(TO).local_get(FROM).i32_gt_u().if_(BlockType::Empty);
    while_more_than_a_piece(&mut code, |code| {
        shorten(code);
        for start in [TO, FROM] {
            code.local_get(start).local_get(BYTES).i32_add();
        }
        code.i32_const(PIECE_BYTES).memory_copy(0, 0);
    });
    code.else_();
    while_more_than_a_piece(&mut code, |code| {
        code.local_get(TO).local_get(FROM).i32_const(PIECE_BYTES).memory_copy(0, 0);
        for start in [TO, FROM] {
            advance(code, start);
        }
        shorten(code);
    });
    code.end();
    code.local_get(TO).local_get(FROM).local_get(BYTES).memory_copy(0, 0).end();
    function
}

/// `(to, byte, bytes)`: what `memory.fill` does.
pub(crate) fn fill() -> Function {
    let mut function = Function::new_with_locals_types(Vec::<ValType>::new());
    let mut code = function.instructions();
    while_more_than_a_piece(&mut code, |code| {
        code.local_get(TO).local_get(FROM).i32_const(PIECE_BYTES).memory_fill(0);
        advance(code, TO);
        shorten(code);
    });
    code.local_get(TO).local_get(FROM).local_get(BYTES).memory_fill(0).end();
    function
}

/// A loop whose back edge is where a run can be ended.
fn while_more_than_a_piece(code: &mut InstructionSink<'_>, body: impl FnOnce(&mut InstructionSink<'_>)) {
    code.block(BlockType::Empty).loop_(BlockType::Empty);
    code.local_get(BYTES).i32_const(PIECE_BYTES).i32_le_u().br_if(1);
    body(code);
    code.br(0).end().end();
}

fn advance(code: &mut InstructionSink<'_>, start: u32) {
    code.local_get(start).i32_const(PIECE_BYTES).i32_add().local_set(start);
}

fn shorten(code: &mut InstructionSink<'_>) {
    code.local_get(BYTES).i32_const(PIECE_BYTES).i32_sub().local_set(BYTES);
}
