"""Demonstrations as trajectories, for NexRL's cross-entropy trainer on a training service (NexRL 1.4.0).

The trainer reads the logprobs of every trajectory, although cross entropy does not use them. They are given as 0.0.
"""

from typing import Any

from transformers import AutoTokenizer

from nexrl.nexrl_types import Trajectory
from nexrl.rollout_worker.base_rollout_worker import BaseRolloutWorker


class PigLatinWorker(BaseRolloutWorker):
    """One task is an English phrase (`input`) and its translation (`output`)."""

    _tokenizer = None

    def rollout(self, task: dict[str, Any]) -> str | None:
        prompt = self._tokens(f"English: {task['input']}\nPig Latin:", True)
        answer = self._tokens(f" {task['output']}\n\n", False)
        tokens = prompt + answer
        loss_mask = [0] * len(prompt) + [1] * len(answer)
        logprobs = [0.0] * len(tokens)
        tokens, loss_mask, logprobs = self._check_and_truncate(tokens, loss_mask, logprobs)
        return self._put_trajectory(
            Trajectory(
                tokens=tokens,
                loss_mask=loss_mask,
                reward=1.0,
                is_val=task.get("is_val", False),
                extra_fields={
                    "logprobs": logprobs,
                    # Every demonstration counts in full.
                    "advantage": 1.0,
                    "group_id": task.get("group_id", ""),
                    "run_id": task.get("run_id", 0),
                    "model_tag": self._config.get("identifier", "default"),
                },
            )
        )

    def _tokens(self, text: str, special: bool) -> list[int]:
        if self._tokenizer is None:
            self._tokenizer = AutoTokenizer.from_pretrained(self._config.tokenizer)
        return self._tokenizer.encode(text, add_special_tokens=special)
