# outcome: python_error
# message: No module named 'requests_that_is_not_there'
import requests_that_is_not_there
