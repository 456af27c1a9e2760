//! The card of each template for the router, and the template of each card.

use intentbox_catalog::{Catalog, Template, TemplateId};
use intentbox_router::CardId;

/// The id of a template's card: the template's own.
pub(crate) fn id_of(template: &TemplateId) -> CardId {
    CardId::new(template.as_str())
}

/// The template that a card was made of, if the catalog has it.
pub(crate) fn template<'a>(catalog: &'a Catalog, card: &CardId) -> Option<&'a Template> {
    catalog.get(card.as_str())
}

#[cfg(test)]
mod tests {
    use intentbox_router::Card;

    use super::*;

    #[test]
    fn every_card_leads_back_to_its_template() {
        let catalog = Catalog::embedded().expect("a test of the catalog loads the built-in templates");
        for expected in catalog.templates() {
            let card = Card::of(expected);
            let found = template(&catalog, &card.id).map(Template::id);
            assert_eq!(found, Some(expected.id()));
            assert_eq!((card.pack.name.as_str(), card.name.as_str()), (expected.id().pack(), expected.id().name()));
        }
        assert!(template(&catalog, &CardId::new("sentry:list_errors")).is_none());
    }
}
