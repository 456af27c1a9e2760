//! Random operations, with everything that failed made small.

use proptest::prelude::*;

proptest! {
    #[test]
    fn any_operations_do_what_the_model_does(bytes in proptest::collection::vec(any::<u8>(), 0..1024)) {
        intentbox_scratch::oracle(&bytes);
    }
}
