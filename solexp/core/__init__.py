"""The nouns that travel through solexp; everything else is a verb on them."""

from solexp.core.build import Build, CompileError, ContractBuild, Severity
from solexp.core.candidate import Candidate, NoCode
from solexp.core.counterexample import Counterexample
from solexp.core.errors import (
    DataError,
    HarnessError,
    Interrupted,
    ModelGone,
    RequestFailed,
    SolexpError,
    TimeLimitExceeded,
    ToolError,
    UserError,
)
from solexp.core.preconditions import Preconditions
from solexp.core.program import Call, Deployment, Program, Receiver, Recorded
from solexp.core.project import Project, Suite
from solexp.core.prompt import (
    Batch,
    Completion,
    FinishReason,
    Generation,
    Message,
    Prompt,
    PromptForm,
    Tool,
    ToolCall,
    Usage,
)
from solexp.core.task import CompilerSettings, Target, Task
from solexp.core.trace import Branched, CallResult, Checkpoint, Log, Trace
from solexp.core.verdict import Divergence, Outcome, Verdict
from solexp.core.workspace import Workspace

__all__ = [
    "Batch",
    "Branched",
    "Build",
    "Call",
    "CallResult",
    "Candidate",
    "Checkpoint",
    "CompileError",
    "CompilerSettings",
    "Completion",
    "ContractBuild",
    "Counterexample",
    "DataError",
    "Deployment",
    "Divergence",
    "FinishReason",
    "Generation",
    "HarnessError",
    "Interrupted",
    "Log",
    "Message",
    "ModelGone",
    "NoCode",
    "Outcome",
    "Preconditions",
    "Program",
    "Project",
    "Prompt",
    "PromptForm",
    "Receiver",
    "Recorded",
    "RequestFailed",
    "Severity",
    "SolexpError",
    "Suite",
    "Target",
    "Task",
    "TimeLimitExceeded",
    "Tool",
    "ToolCall",
    "ToolError",
    "Trace",
    "Usage",
    "UserError",
    "Verdict",
    "Workspace",
]
