//! Signatures of callbacks, as Standard Webhooks writes them: HMAC-SHA256 over `id.timestamp.body`, under a key that the receiver
//! knows. One key that the store keeps makes those of all principals, so that none can sign for another.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use intentbox_engine::Principal;
use intentbox_store::{JobStore, StoreError};
use ring::hmac;

/// The name under which the store keeps the key.
const SETTING: &str = "callback_key";

/// The key of which those of principals are made.
pub(crate) struct MasterKey(hmac::Key);

/// The key of one principal.
pub(crate) struct CallbackKey([u8; 32]);

/// The key of this service, which is made where there is none.
pub(crate) async fn master(store: &JobStore) -> Result<MasterKey, StoreError> {
    let mut bytes = [0; 32];
    // Without it the key would be known: the system's randomness does not fail after the start of the machine.
    getrandom::fill(&mut bytes)
        .map_err(|error| StoreError::Failed { file: "the system's randomness".into(), detail: error.to_string() })?;
    let made = bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let kept = store.setting(SETTING, made).await?;
    Ok(MasterKey(hmac::Key::new(hmac::HMAC_SHA256, kept.as_bytes())))
}

impl MasterKey {
    pub(crate) fn key(&self, principal: &Principal) -> CallbackKey {
        let tag = hmac::sign(&self.0, principal.as_str().as_bytes());
        let mut key = [0; 32];
        key.copy_from_slice(tag.as_ref());
        CallbackKey(key)
    }
}

impl CallbackKey {
    /// The key as receivers write it.
    pub(crate) fn written(&self) -> String {
        format!("whsec_{}", STANDARD.encode(self.0))
    }

    /// The header `webhook-signature`.
    pub(crate) fn sign(&self, id: &str, at_s: i64, body: &[u8]) -> String {
        let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, &self.0));
        context.update(format!("{id}.{at_s}.").as_bytes());
        context.update(body);
        format!("v1,{}", STANDARD.encode(context.sign()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification (standardwebhooks.com): its key, its message, and the signature that it prints.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let mut key = Vec::new();
        STANDARD.decode_vec("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", &mut key).expect("Base64");
        let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, &key));
        context.update(br#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#);
        assert_eq!(STANDARD.encode(context.sign()), "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let master = MasterKey(hmac::Key::new(hmac::HMAC_SHA256, b"k"));
        let (alice, local) = (master.key(&Principal::named("alice")), master.key(&Principal::local()));
        assert_ne!(alice.written(), local.written());
        assert_ne!(alice.sign("a", 1, b"x"), alice.sign("a", 2, b"x"));
        assert_eq!(alice.written().len(), "whsec_".len() + 44);
    }
}
