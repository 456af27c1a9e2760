# outcome: capability_denied
# message: calling git: git_log was refused: the run may call no tool, since none is granted to it
tools["git"]["git_log"](repo_path=".")
