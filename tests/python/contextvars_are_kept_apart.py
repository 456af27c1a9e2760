from contextvars import Context, ContextVar, copy_context
request = ContextVar("request", default="none")
token = request.set("first")
print(request.get(), token.var is request, token.old_value is token.MISSING)
def handle(name):
    request.set(name)
    return request.get()
context = copy_context()
print(context.run(handle, "inner"), request.get(), context[request], request in context, len(list(context.items())) >= 1)
request.reset(token)
print(request.get(), Context().run(request.get))
bare = ContextVar("bare")
try:
    bare.get()
except LookupError:
    print("LookupError", bare.get("fallback"), bare.name)
