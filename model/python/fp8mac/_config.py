# SPDX-License-Identifier: Apache-2.0
"""What a dot product computes: settings, and presets of them for hardware and for this project's elements."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from . import _core
from ._environment import own_environment
from ._formats import Format, FormatLike, _from_entry, format_of, refuse

_HELP = dict(_core.setting_names())
SETTINGS = tuple(name.replace("-", "_") for name in _HELP)


def _text(name: str, value: Any) -> str:
    """A setting as the library reads it."""
    if isinstance(value, str) and value.isprintable():
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return str(operator.index(cast(Any, value)))
    except TypeError:
        raise refuse(
            "ACCUMULATOR",
            f"{name} is {value!r} and must be a whole number, a truth value or a name",
        ) from None


class Config:
    """Settings of a dot product; immutable.

    Settings that are not given have their defaults: exact, FP32, one product a step, e4m3fn operands.

    The settings are the fields of fp8mac_dot_config:

    """

    __slots__ = ("_capsule", "_settings", "a_format", "b_format")

    a_format: Format
    b_format: Format
    _capsule: object
    _settings: dict[str, str]

    @own_environment
    def __init__(
        self,
        preset: str | None = None,
        *,
        format: FormatLike = None,
        a_format: FormatLike = None,
        b_format: FormatLike = None,
        **settings: Any,
    ):
        if preset is not None and (not isinstance(preset, str) or "\0" in preset):
            raise refuse("ACCUMULATOR", f"preset is {preset!r} and must be the name of one")
        for name in settings:
            if name not in SETTINGS:
                raise refuse(
                    "ACCUMULATOR",
                    f"there is no setting {name!r}; choose from {', '.join(SETTINGS)}",
                )
        both_formats = [
            format_of(entry)._entry if entry is not None else None
            for entry in (
                format if a_format is None else a_format,
                format if b_format is None else b_format,
            )
        ]
        pairs = tuple((name, _text(name, value)) for name, value in settings.items())
        self._take(_core.config(preset, *both_formats, pairs))

    def _take(self, capsule: object) -> None:
        a_entry, b_entry, values = _core.config_settings(capsule)
        object.__setattr__(self, "_capsule", capsule)
        object.__setattr__(self, "a_format", _from_entry(a_entry))
        object.__setattr__(self, "b_format", _from_entry(b_entry))
        object.__setattr__(
            self,
            "_settings",
            {n: v for n, v in values.items() if n not in ("a_format", "b_format")},
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a Config does not change; replace() gives another")

    @property
    def settings(self) -> dict[str, str]:
        """The settings that are not 0, as text. The formats are in a_format and b_format."""
        return dict(self._settings)

    def replace(self, **settings: Any) -> Config:
        """A copy with some settings changed."""
        both = settings.pop("format", None)
        both_formats: dict[str, Any] = {
            "a_format": both if both is not None else self.a_format,
            "b_format": both if both is not None else self.b_format,
        }
        return Config(**(both_formats | self._settings | settings))

    def __repr__(self) -> str:
        rest = "".join(f", {name}={value!r}" for name, value in self._settings.items())
        return f"Config(a_format={self.a_format.name!r}, b_format={self.b_format.name!r}{rest})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Config):
            return NotImplemented
        return (self.a_format, self.b_format, self._settings) == (
            other.a_format,
            other.b_format,
            other._settings,
        )

    def __hash__(self) -> int:
        return hash((self.a_format, self.b_format, tuple(self._settings.items())))

    def __reduce__(self) -> Any:
        return _rebuild, (self.a_format, self.b_format, self._settings)


def _rebuild(a_format: Format, b_format: Format, settings: dict[str, str]) -> Config:
    return Config(a_format=a_format, b_format=b_format, **settings)


Config.__doc__ = (Config.__doc__ or "") + "".join(
    f"    {name.replace('-', '_'):<14} {text}\n" for name, text in _HELP.items()
)


@dataclasses.dataclass(frozen=True)
class Preset:
    """Published hardware, or an element of this project, as a configuration."""

    name: str
    summary: str
    source: str
    compared: str  # what the library's results were compared with
    config: Config | None  # None: not covered; the summary says why


#: Every preset by name.
presets: Mapping[str, Preset] = MappingProxyType(
    {
        name: Preset(name, summary, source, compared, Config(name) if covered else None)
        for name, summary, source, compared, covered in _core.presets()
    }
)


def make_config(
    config: Config | str | None,
    preset: str | None,
    settings: dict[str, Any],
    a_format: FormatLike,
    b_format: FormatLike,
) -> Config:
    """The configuration that a call names. Formats that it does not name are those of the operands' types."""
    settings = {name: value for name, value in settings.items() if value is not None}
    if isinstance(config, str):
        config, preset = None, config
    if config is not None and not isinstance(config, Config):
        raise refuse(
            "ACCUMULATOR", f"config is {config!r} and must be a Config or the name of a preset"
        )
    if config is not None and preset is not None:
        raise refuse("ACCUMULATOR", "config and preset exclude each other")
    both_formats = {
        name: entry
        for name, entry in (("a_format", a_format), ("b_format", b_format))
        if entry is not None
    }
    if config is None:
        return Config(preset, **both_formats, **settings)
    return config.replace(**both_formats, **settings) if both_formats or settings else config
