"""How a news item becomes the question an agent is asked (NexRL 1.4.0). The rest of a rollout is NexAU's own worker."""

from typing import Any

from nexrl.rollout_worker.base_nexau_rollout_worker import BaseNexAURolloutWorker

# Column of the data, and what it is called in the question.
PARTS = (
    ("company_name", "Who it should concern"),
    ("title", "Title"),
    ("summary", "Summary"),
    ("date_str", "Published"),
    ("source", "Source"),
)


class NewsWorker(BaseNexAURolloutWorker):
    """Asks whether a news item concerns somebody; the evaluator named in the recipe scores the answer."""

    def run_agent(self, task: dict[str, Any]) -> Any:
        lines = [f"{name}: {task[column]}" for column, name in PARTS if task.get(column)]
        return super().run_agent({**task, "prompt": "\n".join(lines)})
