# outcome: target_not_found
# message: there is no project chekout; there are web and api
from intentbox import NotFound


class NoProject(NotFound):
    pass


raise NoProject("there is no project chekout; there are web and api")
