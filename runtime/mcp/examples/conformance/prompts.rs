//! The prompts, and the completion of their arguments.

use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, GetPromptResponse, GetPromptResult,
    JsonObject, Prompt, PromptArgument, PromptMessage, ResourceContents, Role,
};
use serde_json::Value;

use crate::round::{Round, elicit};
use crate::{resources, sample};

const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";

/// The prompts. The additional one is there or not, so that the list can change.
pub(crate) fn all(additional: bool) -> Vec<Prompt> {
    let mut prompts = vec![
        prompt("test_simple_prompt", "A text", &[]),
        prompt(WITH_ARGUMENTS, "A text with two arguments in it", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", "A resource and a text", &["resourceUri"]),
        prompt("test_prompt_with_image", "An image and a text", &[]),
        prompt("test_input_required_result_prompt", "A text that takes its context from the user", &[]),
    ];
    if additional {
        prompts.push(prompt("test_additional_prompt", "A prompt that comes and goes", &[]));
    }
    prompts
}

fn prompt(name: &str, description: &str, required: &[&str]) -> Prompt {
    let arguments =
        required.iter().map(|name| PromptArgument::new(*name).with_description("Any text").with_required(true));
    Prompt::new(name, Some(description), Some(arguments.collect()))
}

pub(crate) fn get(arguments: &JsonObject, round: &Round<'_>) -> Result<GetPromptResponse, ErrorData> {
    let contents = match round.name {
        WITH_ARGUMENTS => {
            let (arg1, arg2) = (text(arguments, "arg1")?, text(arguments, "arg2")?);
            vec![ContentBlock::text(format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = text(arguments, "resourceUri")?;
            vec![
                ContentBlock::resource(ResourceContents::text("Embedded resource content for testing.", uri)),
                ContentBlock::text("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => {
            vec![ContentBlock::image(sample::PNG, "image/png"), ContentBlock::text("Please analyze the image above.")]
        }
        "test_input_required_result_prompt" => match round.accepted("user_context", "context") {
            Some(Value::String(context)) => vec![ContentBlock::text(format!("Answer in this context: {context}"))],
            Some(Value::Null) => vec![ContentBlock::text("Answer without a context.")],
            _ => {
                let question = elicit("What context should the prompt use?", "context", "string")?;
                return Ok(round.ask([("user_context", question)], None)?.into());
            }
        },
        _ => vec![ContentBlock::text("This is a simple prompt for testing.")],
    };
    let messages = contents.into_iter().map(|content| PromptMessage::new(Role::User, content));
    Ok(GetPromptResult::new(messages.collect()).into())
}

pub(crate) fn complete(request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let prompt = request.r#ref.as_prompt_name() == Some(WITH_ARGUMENTS);
    let template = request.r#ref.as_resource_uri() == Some(resources::TEMPLATE);
    let values: &[&str] = match request.argument.name.as_str() {
        "arg1" | "arg2" if prompt => &["paris", "park", "party", "test"],
        "id" if template => &["123", "456"],
        name => {
            let message = format!("there is no argument `{name}` to complete in that prompt or resource template");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    let typed = request.argument.value.as_str();
    let matching = values.iter().filter(|value| value.starts_with(typed)).map(|value| (*value).to_owned()).collect();
    match CompletionInfo::with_all_values(matching) {
        Ok(completion) => Ok(CompleteResult::new(completion)),
        Err(error) => Err(ErrorData::internal_error(error, None)),
    }
}

/// The argument of that name, which has to be a text.
pub(crate) fn text<'a>(arguments: &'a JsonObject, name: &str) -> Result<&'a str, ErrorData> {
    arguments.get(name).and_then(Value::as_str).ok_or_else(|| {
        ErrorData::invalid_params(format!("the argument `{name}` is missing or no text: give a text"), None)
    })
}
