//! The tools that answer at once, and those of the older revisions that ask the client while they run.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitationAction, JsonObject,
    ProgressNotificationParam, ResourceContents, Tool, object,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::fixture::{Fixture, undelivered};
use crate::prompts::text;
use crate::round::{self, Round};
use crate::sample;

/// What the suite wants between two notifications.
const PAUSE: Duration = Duration::from_millis(50);

const LOGGED: [&str; 3] = ["Tool execution started", "Tool processing data", "Tool execution completed"];

/// The names and descriptions of the tools without arguments.
const PLAIN: [(&str, &str); 14] = [
    ("test_simple_text", "Returns a text"),
    ("test_image_content", "Returns an image"),
    ("test_audio_content", "Returns a sound"),
    ("test_embedded_resource", "Returns a resource"),
    ("test_multiple_content_types", "Returns a text, an image and a resource"),
    ("test_tool_with_logging", "Sends three log messages while it runs"),
    ("test_logging_tool", "Sends three log messages while it runs"),
    ("test_error_handling", "Always fails"),
    ("test_tool_with_progress", "Reports its progress three times"),
    ("test_reconnection", "Takes a moment, so that a client could lose the connection and come back"),
    ("test_elicitation_sep1034_defaults", "Shows the user a form with a default in each field"),
    ("test_elicitation_sep1330_enums", "Shows the user a form with every kind of choice"),
    ("test_trigger_tool_change", "Changes the list of tools"),
    ("test_trigger_prompt_change", "Changes the list of prompts"),
];

/// The tools, in an order that does not change. The additional one is there or not, so that the list can change.
pub(crate) fn all(additional: bool) -> Vec<Tool> {
    let plain = PLAIN.iter().chain(&round::TOOLS);
    let mut tools: Vec<Tool> = plain.map(|(name, description)| tool(name, description, nothing())).collect();
    tools.push(tool("test_sampling", "Asks the model of the client", one_text("prompt")));
    tools.push(tool("test_elicitation", "Asks the user for a name and an address", one_text("message")));
    tools.push(tool("json_schema_2020_12_tool", "Has keywords of JSON Schema 2020-12 in its schema", keywords()));
    tools.push(tool("test_argument_in_header", "Wants its argument repeated in a header", region()));
    if additional {
        tools.push(tool("test_additional_tool", "A tool that comes and goes", nothing()));
    }
    tools
}

fn tool(name: &'static str, description: &'static str, schema: Value) -> Tool {
    Tool::new(name, description, object(schema))
}

fn nothing() -> Value {
    json!({ "type": "object", "properties": {} })
}

fn one_text(name: &str) -> Value {
    json!({ "type": "object", "properties": { (name): { "type": "string" } }, "required": [name] })
}

fn region() -> Value {
    json!({ "type": "object", "properties": { "region": { "type": "string", "x-mcp-header": "Region" } } })
}

fn keywords() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true }
        }
    })
}

fn choices() -> Value {
    let names = ["option1", "option2", "option3"];
    let titled = json!([
        { "const": "value1", "title": "First" },
        { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" }
    ]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": names },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"]
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": names } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } }
        }
    })
}

fn identity() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "The name of the user" },
            "email": { "type": "string", "description": "The address of the user" }
        },
        "required": ["username", "email"]
    })
}

/// Calls a tool that [`all`] lists.
pub(crate) async fn call(
    fixture: &Fixture,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let arguments = request.arguments.unwrap_or_default();
    let blocks = match &*request.name {
        "test_simple_text" => vec![ContentBlock::text("This is a simple text response for testing.")],
        "test_image_content" => vec![ContentBlock::image(sample::PNG, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(sample::WAV, "audio/wav")],
        "test_embedded_resource" => {
            let uri = "test://embedded-resource";
            vec![ContentBlock::resource(ResourceContents::text("This is an embedded resource content.", uri))]
        }
        "test_multiple_content_types" => mixed(),
        "test_tool_with_logging" | "test_logging_tool" => {
            for message in LOGGED {
                fixture.log(message, context).await?;
                tokio::time::sleep(PAUSE).await;
            }
            vec![ContentBlock::text("Three log messages were sent to who wants them.")]
        }
        "test_tool_with_progress" => {
            progress(context).await?;
            vec![ContentBlock::text("The progress was reported if a token was given.")]
        }
        "test_error_handling" => {
            let message = "This tool intentionally returns an error for testing";
            return Ok(CallToolResult::error(vec![ContentBlock::text(message)]).into());
        }
        "test_reconnection" => {
            tokio::time::sleep(PAUSE).await;
            vec![ContentBlock::text("The connection may have been another one.")]
        }
        "test_sampling" => return Ok(complete(text(&arguments, "prompt")?, context).await.into()),
        "test_elicitation" => return fill_in(text(&arguments, "message")?, identity(), context).await,
        "test_elicitation_sep1034_defaults" => return fill_in("Are the defaults right?", defaults(), context).await,
        "test_elicitation_sep1330_enums" => return fill_in("Which ones?", choices(), context).await,
        "test_trigger_tool_change" => {
            fixture.change_tools(context).await?;
            vec![ContentBlock::text("The list of tools changed.")]
        }
        "test_trigger_prompt_change" => {
            fixture.change_prompts(context).await?;
            vec![ContentBlock::text("The list of prompts changed.")]
        }
        "json_schema_2020_12_tool" | "test_argument_in_header" | "test_additional_tool" => echo(arguments),
        name => {
            return round::call(&Round {
                name,
                replies: request.input_responses.unwrap_or_default(),
                state: request.request_state,
                context,
                codec: fixture.codec(),
            });
        }
    };
    Ok(CallToolResult::success(blocks).into())
}

fn mixed() -> Vec<ContentBlock> {
    let data = json!({ "test": "data", "value": 123 }).to_string();
    let resource = ResourceContents::text(data, "test://mixed-content-resource").with_mime_type("application/json");
    vec![
        ContentBlock::text("Multiple content types test:"),
        ContentBlock::image(sample::PNG, "image/png"),
        ContentBlock::resource(resource),
    ]
}

fn echo(arguments: JsonObject) -> Vec<ContentBlock> {
    vec![ContentBlock::text(Value::Object(arguments).to_string())]
}

async fn progress(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let token = context.meta.get_progress_token();
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = token.clone() {
            let notification = ProgressNotificationParam::new(token, done).with_total(100.0);
            context.peer.notify_progress(notification).await.map_err(|error| undelivered(&error))?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Asks the model of the client while the call is open, which only the older revisions allow.
async fn complete(prompt: &str, context: &RequestContext<RoleServer>) -> CallToolResult {
    match context.peer.create_message(round::prompt(prompt, 100)).await {
        Ok(reply) => {
            let text = round::completion(&reply).unwrap_or("(no text)");
            CallToolResult::success(vec![ContentBlock::text(format!("LLM response: {text}"))])
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(format!("the model was not asked: {error}"))]),
    }
}

/// Shows the user a form while the call is open, which only the older revisions allow.
async fn fill_in(
    message: &str,
    schema: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let result = match context.peer.create_elicitation(round::form(message, schema)?).await {
        Ok(reply) => {
            let action = match reply.action {
                ElicitationAction::Accept => "accept",
                ElicitationAction::Decline => "decline",
                _ => "cancel",
            };
            let filled = reply.content.unwrap_or_default();
            let text = format!("Elicitation completed: action={action}, content={filled}");
            CallToolResult::success(vec![ContentBlock::text(text)])
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(format!("the user was not asked: {error}"))]),
    };
    Ok(result.into())
}
