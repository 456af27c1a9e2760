//! The origins with their credentials and settings, as each principal has them: most have the same, and some have their own.

use std::collections::BTreeMap;

use intentbox_egress::{Egress, EgressError, OriginConfig};
use intentbox_report::Principal;

use crate::configuration::TenantConfig;

/// What one principal has, or all that have nothing of their own.
#[derive(Debug)]
pub(crate) struct Tenant {
    pub(crate) egress: Egress,
    /// Settings of origins by `alias.name`, not secret.
    pub(crate) settings: BTreeMap<String, String>,
}

/// All of them.
#[derive(Debug)]
pub(crate) struct Tenants {
    common: Tenant,
    own: BTreeMap<String, Tenant>,
}

impl Tenants {
    pub(crate) fn new(
        origins: Vec<OriginConfig>,
        settings: BTreeMap<String, String>,
        own: BTreeMap<String, TenantConfig>,
    ) -> Result<Self, EgressError> {
        let common = Tenant { egress: Egress::new(origins)?, settings };
        let own = own.into_iter().map(|(principal, TenantConfig { origins, settings })| {
            let settings = common.settings.clone().into_iter().chain(settings).collect();
            Ok((principal, Tenant { egress: common.egress.replacing(origins)?, settings }))
        });
        let own = own.collect::<Result<_, EgressError>>()?;
        Ok(Self { common, own })
    }

    /// What a principal has.
    pub(crate) fn of(&self, principal: &Principal) -> &Tenant {
        principal.name().and_then(|name| self.own.get(name)).unwrap_or(&self.common)
    }

    /// What those have that have nothing of their own. All have the same origins.
    pub(crate) fn common(&self) -> &Tenant {
        &self.common
    }
}
