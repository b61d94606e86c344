"""A run's rounds: ask for every sample, judge it, and ask again where the strategy wants to."""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from solexp.benchmarks.base import everything
from solexp.config import RunSpec
from solexp.core import Generation, Prompt, Task, UserError, Verdict
from solexp.generating import Halted, Wanted, generate
from solexp.generating.forecast import forecast
from solexp.judging import Job, judge_all
from solexp.judging.kept import KeptVerdicts
from solexp.metrics.rounds import Sample, sample_of
from solexp.oracles.base import Oracle
from solexp.progress import Progress
from solexp.store import RunFolder, Store
from solexp.store.runfolder import addition
from solexp.strategies import Attempt, Reader
from solexp.strategies.together import TogetherReader, judgeable
from solexp.toolchain.homes import cache_home

_LOG = logging.getLogger("solexp")


class Rounds:
    """What a run has so far, so that it can be finished at any moment."""

    def __init__(self, spec: RunSpec, folder: RunFolder, n_jobs: int) -> None:
        self.spec = spec
        self.folder = folder
        self.n_jobs = n_jobs
        self.tasks: Sequence[Task] = ()
        self.generations: list[Generation] = []
        self.verdicts: list[Verdict] = []
        self.tools: dict[str, str] = {}
        self.halted = Halted()
        self.together: list[Verdict] = []
        """About contracts put together from functions that were each written by itself."""
        self._store = Store(cache_home() / "generations")
        self._shown: set[str] = set()
        self._prompts: dict[str, Prompt] = {}
        """Those of the first round by their keys, where later rounds need them; on the disk secrets are masked."""

    def go(self, stored: Sequence[Generation] | None) -> None:
        """All rounds; with ``stored`` generations, only their judging. Raises UserError when there are no tasks."""
        whole = self.spec.benchmark.tasks()
        self.tasks = self.spec.strategy.expand(whole)
        if not self.tasks:
            raise UserError("benchmark: no task is left; loosen limit, ids or filter")
        _check_languages(self.tasks, self.spec.oracles)
        _check_answers(self.spec, asks=stored is None)
        self.folder.write_tasks(self.tasks)
        self.folder.update_manifest(data=self.spec.benchmark.data_hashes())
        if stored is not None:
            self.generations = _of_these_tasks(stored, self.tasks)
            self.folder.write_generations(self.generations)
            self._judge(self.generations)
            self._judge_together(whole)
            return
        self.spec.strategy.prepare(
            self.tasks, everything(self.spec.benchmark) if self.spec.strategy.shots else ()
        )
        if self.spec.dry:
            self._look_ahead()
            return
        self._answer_and_judge(list(self._first()))
        for number in range(1, self.spec.strategy.refine.rounds + 1):
            again = list(self._again(number))
            if not again or self.halted.reason is not None:
                break
            self._answer_and_judge(again)
        self._judge_together(whole)

    def _first(self) -> Iterator[Wanted]:
        sampling = self.spec.sampling
        for task in self.tasks:
            for repeat in range(sampling.repeats):
                for batch in sampling.batches:
                    yield Wanted(
                        task=task,
                        batch=batch,
                        repeat=repeat,
                        indices=tuple(range(batch.n)),
                        begin=functools.partial(_begin, self.spec.strategy, task),
                    )

    def _again(self, number: int) -> Iterator[Wanted]:
        """One more round for each sample that the strategy wants to refine."""
        refine = self.spec.strategy.refine
        batches = {batch.name: batch for batch in self.spec.sampling.batches}
        tasks = {task.id: task for task in self.tasks}
        said: dict[Sample, list[Verdict]] = {}
        for verdict in self.verdicts:
            # What decides nothing is no reason to ask again.
            if verdict.round == number - 1 and self.spec.oracles[verdict.oracle].decides:
                said.setdefault(sample_of(verdict), []).append(verdict)
        firsts = {sample_of(g): g for g in self.generations if g.round == 0}
        for generation in sorted(self.generations, key=sample_of):
            sample = sample_of(generation)
            if generation.round != number - 1 or sample not in said:
                continue
            task = tasks[generation.task_id]
            attempt = Attempt(
                task=task,
                prompt=self._prompts[firsts[sample].prompts[-1]],
                generation=generation,
                candidate=self.spec.strategy.reader.candidate(task, generation),
                verdicts=tuple(said[sample]),
                batch=batches[generation.batch],
            )
            if refine.wants(attempt):
                yield Wanted(
                    task=task,
                    batch=attempt.batch,
                    repeat=generation.repeat,
                    indices=(generation.index,),
                    begin=functools.partial(_refine, refine.dialogue, attempt),
                    round=number,
                )

    def _look_ahead(self) -> None:
        """Write down what would be asked first, and say what it would take."""
        with self.folder.append_prompts() as file:
            said = forecast(self.spec, self._first(), self._store, file.write)
        print(said.told(), file=sys.stderr)

    def _answer_and_judge(self, wanted: Sequence[Wanted]) -> None:
        before = len(self.generations)
        if self.spec.model.paid and not wanted[0].round:
            print(forecast(self.spec, wanted, self._store).told(), file=sys.stderr)
        with (
            self.folder.append_prompts() as prompts,
            self.folder.append_generations() as file,
            Progress("generating") as progress,
        ):
            progress.total(sum(len(each.indices) for each in wanted))

            def keep(generation: Generation) -> None:
                file.write(generation)
                self.generations.append(generation)
                progress.advance()

            def show(prompt: Prompt) -> None:
                if prompt.key not in self._shown:
                    self._shown.add(prompt.key)
                    if self.spec.strategy.refine.rounds and not wanted[0].round:
                        self._prompts[prompt.key] = prompt
                    prompts.write(addition(prompt))

            halted = generate(self.spec.model, wanted, self._store, keep=keep, show=show)
        self.halted.failed += halted.failed
        self.halted.reason = halted.reason
        self._judge(self.generations[before:])

    def _judge(self, generations: Sequence[Generation]) -> None:
        with self.folder.append_verdicts() as file:
            for verdict in self._judged(self.tasks, generations, self.spec.strategy.reader):
                file.write(verdict)
                self.verdicts.append(verdict)

    def _judge_together(self, whole: Sequence[Task]) -> None:
        """Where functions are tasks: judge each contract with all functions of a sample in place."""
        functions: dict[str, list[Task]] = {}
        for task in self.tasks:
            if (parent := task.facts.get("parent")) is not None:
                functions.setdefault(str(parent), []).append(task)
        parents = [task for task in whole if task.id in functions]
        generations = [
            made
            for task in parents
            for made in judgeable(
                task, functions[task.id], self.generations, self.spec.strategy.reader
            )
        ]
        self.together += self._judged(parents, generations, TogetherReader())
        if functions:
            self.folder.write_together(self.together)

    def _judged(
        self, tasks: Sequence[Task], generations: Sequence[Generation], reader: Reader
    ) -> Iterator[Verdict]:
        """Verdicts as they come in, kept ones first."""
        oracles, execution = tuple(self.spec.oracles.values()), self.spec.execution
        kept = KeptVerdicts(reader, oracles, execution.cache)
        by_task: dict[str, list[Generation]] = {}
        for generation in generations:
            by_task.setdefault(generation.task_id, []).append(generation)
        posed = {task.id: task for task in tasks if task.id in by_task}
        jobs = []
        with Progress("judging") as progress:
            progress.total(len(posed))
            for task in posed.values():
                known, missing = kept.look_up(task, by_task[task.id])
                yield from known.verdicts
                self.tools.update(known.tools)
                if missing:
                    jobs.append(
                        Job(
                            task=task,
                            generations=tuple(missing),
                            reader=reader,
                            oracles=oracles,
                            seconds=execution.task_seconds,
                            memory_mb=execution.memory_mb,
                            cached=execution.cache,
                        )
                    )
                else:
                    progress.advance()
            with closing(judge_all(jobs, self.n_jobs, execution.backend)) as results:
                for judged in results:
                    kept.keep(posed[judged.task_id], by_task[judged.task_id], judged)
                    yield from judged.verdicts
                    self.tools.update(judged.tools)
                    for line in judged.log:
                        _LOG.debug("%s: %s", judged.task_id, line)
                    progress.advance()


def _check_languages(tasks: Sequence[Task], oracles: Mapping[str, Oracle]) -> None:
    """Raise UserError where an oracle judges one language and a task is in another."""
    for name, oracle in oracles.items():
        language = getattr(oracle, "language", None)
        other = next((task for task in tasks if language not in (None, task.language)), None)
        if other is not None:
            raise UserError(
                f"oracle.{name}: judges {str(language).capitalize()}, and {other.benchmark}'s tasks are "
                f"{other.language.capitalize()}; choose others with oracle=[NAME,…]"
            )


def _check_answers(spec: RunSpec, *, asks: bool) -> None:
    """Raise UserError where the strategy asks for one kind of answer, and a model gives or an oracle judges another.

    Kinds are ``code``, which is meant where nothing is said, and ``tests``. A language model gives what it is asked;
    the model counts only where it ``asks``.
    """
    wanted = getattr(spec.strategy, "answers", "code")
    given = getattr(spec.model, "answers", wanted)
    if asks and given != wanted:
        raise UserError(
            f"model: answers with {given}, and the strategy asks for {wanted}; choose another of the two"
        )
    calls = getattr(spec.strategy, "calls_tools", False)
    if asks and calls and not getattr(spec.model, "takes_tools", False):
        raise UserError(
            "strategy.protocol: this model's server has no form for calls of tools; choose strategy.protocol=text"
        )
    for name, oracle in spec.oracles.items():
        judged = getattr(oracle, "answers", "code")
        if judged != wanted:
            raise UserError(
                f"oracle.{name}: judges {judged}, and the strategy asks for {wanted}; "
                "choose others with oracle=[NAME,…]"
            )


def _begin(strategy: Any, task: Task, _index: int) -> Any:
    return strategy.dialogue(task)


def _refine(dialogue: Any, attempt: Attempt, _index: int) -> Any:
    return dialogue(attempt)


def _of_these_tasks(stored: Iterable[Generation], tasks: Sequence[Task]) -> list[Generation]:
    known = {task.id for task in tasks}
    return [generation for generation in stored if generation.task_id in known]
