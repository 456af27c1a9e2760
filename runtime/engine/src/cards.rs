//! Templates as the router knows them, and the way back.

use intentbox_catalog::{Catalog, Effects, Template, TemplateId};
use intentbox_router::{Card, CardId, Pack};

/// The card of a template.
#[must_use]
pub fn card(template: &Template) -> Card {
    let pack = template.pack();
    Card {
        id: id_of(template.id()),
        pack: Pack { name: pack.id().to_owned(), synonyms: pack.synonyms().clone() },
        name: template.id().name().to_owned(),
        summary: template.summary().to_owned(),
        phrases: template.phrases().to_vec(),
        parameters: template.parameters().to_vec(),
        writes: template.effects() == Effects::Write,
    }
}

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
    use super::*;

    #[test]
    fn every_card_leads_back_to_its_template() {
        let catalog = Catalog::embedded().expect("a test of the catalog loads the built-in templates");
        for expected in catalog.templates() {
            let card = card(expected);
            let found = template(&catalog, &card.id).map(Template::id);
            assert_eq!(found, Some(expected.id()));
            assert_eq!((card.pack.name.as_str(), card.name.as_str()), (expected.id().pack(), expected.id().name()));
        }
        assert!(template(&catalog, &CardId::new("sentry:list_errors")).is_none());
    }
}
