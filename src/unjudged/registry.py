"""Where specifications are found by their names: those of this package, and those that plugins add.

A plugin is an entry point of another package in the group ``unjudged.plugins``, which names a module of it. Importing
the module defines classes, and classes register themselves by being defined. Plugins are looked for when somebody asks
for a name that is not one of ours, or for all there are: nobody else waits for them.

Nor does anybody wait for those of our own modules that were not asked for, where an index says which module has which
name. It is made by `make docs`; what it does not know is looked for in all modules.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import threading
import warnings
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from unjudged.errors import SpecError, UnjudgedWarning
from unjudged.notebook_repr import NotebookRepr
from unjudged.spec import SeveralNameless, Spec, is_name, near_miss, split_spec, unreadable
from unjudged.wording import shortened

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "GROUP",
    "Plugin",
    "Registry",
    "find_plugins",
    "import_modules",
    "module_names",
    "name_among",
    "plugin_of",
    "plugins_here",
]

GROUP = "unjudged.plugins"

S = TypeVar("S", bound=Spec)


class Registry(NotebookRepr, Generic[S]):
    """All specifications of one kind, by name."""

    every: ClassVar[list[Registry[Any]]] = []

    def __init__(
        self,
        kind: str,
        listing: str = "",
        *,
        example: str = "",
        package: str = "",
        index: Mapping[str, str] | None = None,
    ) -> None:
        """*listing* tells the user where all of them are listed; without it, messages list them.

        *example* is what they look like, for the message about something that cannot be read. The *package* whose
        modules define ours is imported when they are asked for, as far as an *index* of names and modules knows them
        only one of its modules.
        """
        self.kind = kind
        self._one = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
        self._several = f"{kind[:-1]}ies" if kind.endswith("gy") else f"{kind}s"  # strategies
        self._listing = listing
        self._example = example
        self._package = package
        self._index = {} if index is None else index
        self._is_complete, self._is_completing = not package, False
        self._classes: dict[str, type[S]] = {}
        self._aliases: dict[str, type[S]] = {}
        self.every.append(self)

    def add(self, cls: type[S], /) -> None:
        """Register a class under its name and aliases; a name is taken only once.

        The same class again, as when a cell of a notebook runs twice, takes the place of the first.
        """
        before = self._classes.get(cls.name)
        if before is not None and (before.__module__, before.__qualname__) == (cls.__module__, cls.__qualname__):
            self.remove(before)
        names = (cls.name, *cls.aliases)
        for name in names:
            if not is_name(name):
                raise SpecError(f"{self._one} cannot be called {name!r}; names look like nDCG or alpha_nDCG")
            if cls.__module__ != self._home(name):
                self._import_home(name)  # whoever has the name must be here to be found
            other = self._aliases.get(name, cls)
            if other is not cls:
                raise SpecError(
                    f"two {self._several} are called {name!r}, in {other.__module__} and in {cls.__module__}"
                )
        self._aliases.update(dict.fromkeys(names, cls))
        self._classes[cls.name] = cls

    def __repr__(self) -> str:
        return f"{len(self):,} {self._several}: {', '.join(cls.name for cls in self)}"

    def __iter__(self) -> Iterator[type[S]]:
        find_plugins()
        return iter(self.loaded())

    def loaded(self) -> list[type[S]]:
        """Those that are here without plugins: ours, and those of plugins if somebody has asked for more than ours."""
        self._complete()
        return [self._classes[name] for name in sorted(self._classes, key=str.lower)]

    def defined(self) -> Iterable[type[S]]:
        """Those whose modules somebody has imported already, in no order."""
        return self._classes.values()

    def is_ours(self, name: str) -> bool:
        """Whether a name is known without a look at any module that has not been imported."""
        return name in self._aliases or name in self._index

    def _home(self, name: str) -> str | None:
        return f"{self._package}.{self._index[name]}" if name in self._index else None

    def _import_home(self, name: str) -> None:
        """Import the module that has a name, if the index knows it."""
        if name not in self._aliases and (home := self._home(name)) is not None:
            importlib.import_module(home)

    def _complete(self) -> None:
        """Import all modules of ours."""
        if self._is_complete:
            return
        with _lock:
            if self._is_complete or self._is_completing:  # the latter where a module asks while it is being imported
                return
            self._is_completing = True
            try:
                import_modules(self._package, importlib.import_module(self._package).__path__)
                self._is_complete = True
            finally:
                self._is_completing = False

    def __len__(self) -> int:
        self._complete()
        find_plugins()
        return len(self._classes)

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not None

    def __getitem__(self, name: str) -> type[S]:
        entry = self._find(name) or self._in_any_case(name)
        if entry is None:
            near = near_miss(name, self.near_names())
            listing = self._listing or f"there are {', '.join(cls.name for cls in self)}"
            raise SpecError(f"unknown {self.kind} {shortened(name)}{near} ({listing})")
        return entry

    def _find(self, name: Any) -> type[S] | None:
        self._import_home(name)
        if name not in self._aliases:
            self._complete()
        if name not in self._aliases:
            find_plugins()
        return self._aliases.get(name)

    def _in_any_case(self, name: str) -> type[S] | None:
        """The one that is called so but for capitals: other tools write ``ndcg@10`` and ``recall@100``."""
        alike = {cls for alias, cls in self._aliases.items() if alias.lower() == name.lower()}
        return alike.pop() if len(alike) == 1 else None

    def choose(self, given: str | S | type[S]) -> S:
        """The specification that is meant: by its name, as a class, or as it is."""
        if isinstance(given, str):
            return self.parse(given)
        chosen = given() if isinstance(given, type) else given
        if not isinstance(chosen, Spec):
            raise SpecError(f"{self._one} is given by its name, or as an object, not as {shortened(given)}")
        return chosen

    def meanings(self, text: str) -> Sequence[S]:
        """What a text can stand for, however it is spelled; nothing, if it is no specification of this kind."""
        try:
            return [self.parse(text)]
        except SpecError:
            return []

    def near_names(self) -> list[str]:
        """Names that a misspelt one is compared with."""
        self._complete()
        return list(self._aliases)

    def parse(self, text: str) -> S:
        """Build the specification that *text* names."""
        name, values, at = split_spec(text, self._example)
        cls = self[name]
        if "" in values:
            value = values.pop("")
            if isinstance(value, SeveralNameless):
                if not cls.several_nameless:
                    raise unreadable(value[1], text)
                value = value.read()
            if not cls.nameless:
                raise unreadable(value, text)
            if cls.nameless in values:
                raise SpecError(f"{cls.nameless} is given twice in {shortened(text)}")
            values[cls.nameless] = value
        if at is not None:
            at_name = cls._at_name()
            if at_name in values:
                raise SpecError(f"{at_name} is given twice in {shortened(text)}")
            values[at_name] = at
        return cls(**values).complete()

    def remove(self, cls: type[S]) -> None:
        """Forget a class."""
        self._classes = {name: one for name, one in self._classes.items() if one is not cls}
        self._aliases = {name: one for name, one in self._aliases.items() if one is not cls}


def name_among(names: Container[str], given: object) -> str:
    """The name among *names* that is *given*, in this or in another spelling; what is given, where there is none.

    Results have full names, such as ``nDCG@10`` and ``RBP(p=0.5)``; users look them up as they wrote them.
    """
    text = str(given)
    if text in names:
        return text
    other = (str(spec) for registry in Registry.every for spec in registry.meanings(text))
    return next((name for name in other if name in names), text)


@dataclass(frozen=True)
class Plugin:
    """One entry point of another package: the classes it brought, or the problem for which it is left out."""

    package: str
    version: str
    entry: str
    classes: tuple[type[Spec], ...] = ()
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.package} {self.version}"

    def words(self) -> str:
        """What it is and what it brought, in one line."""
        if self.problem:
            return f"plugin {self.entry!r} of {self} is left out: {self.problem}"
        brought = [f"{cls.registry.kind} {cls.name}" for cls in self.classes if cls.registry is not None]
        return f"plugin {self.entry!r} of {self}: {', '.join(brought) or 'nothing more'}"


_lock = threading.RLock()
_loading = False
_plugins: tuple[Plugin, ...] | None = None


def find_plugins() -> tuple[Plugin, ...]:
    """All plugins that are installed; they are imported by the first call.

    One that cannot be used is a warning and a :attr:`Plugin.problem`; everything else works without it. With
    ``UNJUDGED_NO_PLUGINS=1`` in the environment there are none.
    """
    global _plugins, _loading
    if _plugins is not None:
        return _plugins
    with _lock:
        if _loading:  # a plugin looks something up while it is being imported
            return ()
        if _plugins is None:
            _loading = True
            try:
                plugins: list[Plugin] = []
                for entry in _entries():
                    plugins.append(_loaded(entry, plugins))
                _plugins = tuple(plugins)
            finally:
                _loading = False
            for plugin in _plugins:
                if plugin.problem:
                    warnings.warn(plugin.words(), UnjudgedWarning, stacklevel=2)
    return _plugins


def plugin_of(cls: type[Spec]) -> Plugin | None:
    """The plugin that a class comes from; None for ours, and for those of scripts and notebooks."""
    if _top(cls.__module__) == _top(__name__):
        return None
    return next((plugin for plugin in find_plugins() if cls in plugin.classes), None)


def plugins_here() -> list[Plugin]:
    """Plugins whose classes are loaded; nobody looks for any while all classes are ours."""
    loaded = {
        cls for registry in Registry.every for cls in registry.defined() if _top(cls.__module__) != _top(__name__)
    }
    return [plugin for plugin in find_plugins() if not loaded.isdisjoint(plugin.classes)] if loaded else []


def _entries() -> list[EntryPoint]:
    """The entry points, in an order that does not depend on folders."""
    if os.environ.get("UNJUDGED_NO_PLUGINS") == "1":
        return []
    from importlib.metadata import entry_points  # importing it takes as long as scoring a small run

    return sorted(entry_points(group=GROUP), key=lambda entry: (_package(entry), entry.name))


def _package(entry: EntryPoint) -> tuple[str, str]:
    return (entry.module, "") if entry.dist is None else (entry.dist.name, entry.dist.version)


def _loaded(entry: EntryPoint, earlier: list[Plugin]) -> Plugin:
    """Import what an entry point names. What fails leaves nothing of its package behind in the registries."""
    before = _classes_in(entry)
    try:
        thing = entry.load()
        if not isinstance(thing, ModuleType) and thing not in _classes_in(entry):
            raise SpecError(f"{entry.value} is neither a module nor a measure, hole model or other class with a name")
        # Those from before, too: where the package was imported by hand, as in workers, they are registered already.
        classes = _classes_in(entry)
        if not classes:
            raise SpecError(f"{entry.value} defines no measure, hole model or other class with a name")
    except (Exception, SystemExit) as problem:
        for registry in Registry.every:
            for cls in _classes_in(entry):
                if cls not in before:
                    registry.remove(cls)
        return Plugin(*_package(entry), entry.name, problem=_in_one_line(problem))
    # A package may have several entry points; each has what those before it did not bring.
    taken = {cls for plugin in earlier for cls in plugin.classes}
    return Plugin(*_package(entry), entry.name, tuple(cls for cls in classes if cls not in taken))


def _classes_in(entry: EntryPoint) -> list[type[Spec]]:
    """The registered classes of an entry point's package, whichever module of it has them."""
    package = _top(entry.module)
    return [
        cls
        for registry in Registry.every
        for cls in sorted(registry.defined(), key=lambda one: one.name.lower())
        if _top(cls.__module__) == package
    ]


def _top(module: str) -> str:
    return module.partition(".")[0]


def _in_one_line(problem: BaseException) -> str:
    text = " ".join(str(problem).split())
    return text if isinstance(problem, SpecError) else f"{type(problem).__name__}: {text}".removesuffix(": ")


def module_names(path: Iterable[str]) -> list[str]:
    """Names of the modules at a package's *path*, sorted; nothing is imported, and folders are left out."""
    return sorted(one.name for one in pkgutil.iter_modules(path) if not one.ispkg)


def import_modules(package: str, path: Iterable[str]) -> list[ModuleType]:
    """Import all modules of a package: what they define is then registered.

    >>> import unjudged.simulate
    >>> [module.__name__ for module in import_modules("unjudged.simulate", unjudged.simulate.__path__)][0]
    'unjudged.simulate.base'
    """
    return [importlib.import_module(f"{package}.{name}") for name in module_names(path)]
