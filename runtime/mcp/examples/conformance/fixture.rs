//! The server: which request goes where, and the little that it remembers.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, LoggingLevel, LoggingMessageNotificationParam, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig, SetLevelRequestMethod,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceError};
use serde_json::json;
use tokio::sync::watch;

use crate::round::Round;
use crate::{prompts, resources, tools};

/// What all requests share. The transport makes a [`Fixture`] for every session, and in the newer revision for every
/// request.
pub(crate) struct Shared {
    codec: RequestStateCodec,
    lists: watch::Sender<Lists>,
}

impl Shared {
    pub(crate) fn new() -> io::Result<Self> {
        let mut key = [0_u8; RequestStateCodec::MIN_KEY_LENGTH];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(format!("no random key: {error}")))?;
        let codec = RequestStateCodec::try_new(key).map_err(io::Error::other)?;
        Ok(Self { codec, lists: watch::Sender::new(Lists::default()) })
    }
}

/// How often each list changed since the start. An odd number means that the additional item is in it.
#[derive(Clone, Copy, Default)]
struct Lists {
    tools: u64,
    prompts: u64,
}

/// One session of the older revisions, or one request of the newer.
pub(crate) struct Fixture {
    shared: Arc<Shared>,
    /// Made with the fixture, so that a change right after a subscription was acknowledged is not missed.
    lists: watch::Receiver<Lists>,
    at_start: Lists,
    level: Mutex<LoggingLevel>,
}

impl Fixture {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        let lists = shared.lists.subscribe();
        let at_start = *lists.borrow();
        Self { shared: Arc::clone(shared), lists, at_start, level: Mutex::new(LoggingLevel::Debug) }
    }

    /// Adds the additional tool, or takes it away.
    pub(crate) async fn change_tools(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.shared.lists.send_modify(|lists| lists.tools += 1);
        if is_modern(context) {
            return Ok(());
        }
        context.peer.notify_tool_list_changed().await.map_err(|error| undelivered(&error))
    }

    /// Adds the additional prompt, or takes it away.
    pub(crate) async fn change_prompts(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.shared.lists.send_modify(|lists| lists.prompts += 1);
        if is_modern(context) {
            return Ok(());
        }
        context.peer.notify_prompt_list_changed().await.map_err(|error| undelivered(&error))
    }

    /// Sends a message of the level "info", if the client wants such messages: the older revisions set that for the
    /// session, the newer with each request.
    pub(crate) async fn log(&self, message: &str, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let wanted = if is_modern(context) {
            context.meta.log_level()
        } else {
            Some(*self.level.lock().unwrap_or_else(PoisonError::into_inner))
        };
        if !matches!(wanted, Some(LoggingLevel::Debug | LoggingLevel::Info)) {
            return Ok(());
        }
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
        let sent = context.peer.notify_logging_message(message.with_logger("conformance")).await;
        sent.map_err(|error| undelivered(&error))
    }

    pub(crate) fn codec(&self) -> &RequestStateCodec {
        &self.shared.codec
    }

    fn has_additional_tool(&self) -> bool {
        self.shared.lists.borrow().tools % 2 == 1
    }

    fn has_additional_prompt(&self) -> bool {
        self.shared.lists.borrow().prompts % 2 == 1
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("intentbox-conformance", env!("CARGO_PKG_VERSION")))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        prompts::complete(&request)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all(self.has_additional_tool())))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all(self.has_additional_tool()).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.get_tool(&request.name).is_none() {
            let message = format!("no tool is called `{}`: `tools/list` has the names", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        tools::call(self, request, &context).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&request.uri)?.into())
    }

    /// No resource ever changes, so there is nothing to keep about who wants to hear of it.
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        resources::read(&request.uri).map(drop)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        resources::read(&request.uri).map(drop)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all(self.has_additional_prompt())))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if !prompts::all(self.has_additional_prompt()).iter().any(|prompt| prompt.name == request.name) {
            let message = format!("no prompt is called `{}`: `prompts/list` has the names", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let arguments = request.arguments.unwrap_or_default();
        let round = Round {
            name: &request.name,
            replies: request.input_responses.unwrap_or_default(),
            state: request.request_state,
            context: &context,
            codec: self.codec(),
        };
        prompts::get(&arguments, &round)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let tools_wanted = subscription.accepted().tools_list_changed == Some(true);
        let prompts_wanted = subscription.accepted().prompts_list_changed == Some(true);
        let mut lists = self.lists.clone();
        let mut told = self.at_start;
        loop {
            tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                changed = lists.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                }
            }
            let now = *lists.borrow_and_update();
            let sink = subscription.sink();
            // A notification that cannot be sent means that the client has gone, and with it the subscription.
            if tools_wanted && now.tools != told.tools && sink.notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
            if prompts_wanted && now.prompts != told.prompts && sink.notify_prompt_list_changed().await.is_err() {
                return Ok(());
            }
            told = now;
        }
    }
}

/// Whether the request has no session: then nothing is set up before it, and nothing can be asked in between.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// The answer to a request whose notification did not reach the client.
pub(crate) fn undelivered(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(format!("a notification did not reach the client: {error}"), None)
}
