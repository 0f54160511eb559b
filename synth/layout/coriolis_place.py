# SPDX-License-Identifier: Apache-2.0
"""Places the cells of a netlist with Coriolis (its placer is Coloquinte). It is a program of its own, because Coriolis
keeps global state and writes much:

    python coriolis_place.py LEF IN.json OUT.json

IN.json has the sizes of the core in rows and in sites, the cells and the nets. A net is a list of [cell, pin], or of
[port, x, y] for a fixed place on the edge. OUT.json has for each cell its site, its row and whether it is upside down.

The placer wants rows whose height is a multiple of a site's width. OSU's are not: 10 um and 0.8 um. So it places in rows
of the next multiple, and its caller knows rows by number.
"""

import json
import sys

from coriolis import CRL, Cfg, Etesian
from coriolis.CRL import AllianceFramework, CellGauge, LefImport, RoutingGauge, RoutingLayerGauge
from coriolis.helpers import u
from coriolis.helpers.overlay import CfgCache, UpdateSession
from coriolis.helpers.technology import createBL
from coriolis.Hurricane import (
    BasicLayer,
    Box,
    Cell,
    DataBase,
    DbU,
    Instance,
    Library,
    Net,
    NetExternalComponents,
    Pin,
    Technology,
)

NAME = "placement"
METALS = 6
RING = 2  # rows without cells below and above the core, whose first row must be an even one
UPSIDE_DOWN = "6"  # how Coriolis writes this orientation
INTERNAL = ["text.cell", "text.instance", "SPL1", "AutoLayer", "gmetalh", "gcontact", "gmetalv"]


def make_technology():
    """The layers that the LEF file names."""
    database = DataBase.create()
    CRL.System.get()
    technology = Technology.create(database, NAME)
    DbU.setPrecision(2)
    DbU.setPhysicalsPerGrid(0.005, DbU.UnitPowerMicro)
    DbU.setGridsPerLambda(10)
    DbU.setSymbolicSnapGridStep(DbU.fromGrid(1.0))
    DbU.setPolygonStep(DbU.fromGrid(1.0))
    material = BasicLayer.Material
    for name in ("nwell", "nactive", "pactive", "poly", *INTERNAL):
        createBL(technology, name, material.other)
    for cut in ("cc", "via", *(f"via{place}" for place in range(2, METALS))):
        createBL(technology, cut, material.cut)
    for place in range(1, METALS + 1):
        metal = createBL(technology, f"metal{place}", material.metal, size=u(0.3), spacing=u(0.3))
        blocked = createBL(technology, f"metal{place}_blocked", material.blockage)
        metal.setBlockageLayer(blocked)
    return technology


def make_gauges(technology, site, row):
    framework = AllianceFramework.get()
    routing = RoutingGauge.create(NAME)
    routing.setSymbolic(False)
    kinds = RoutingLayerGauge
    for place in range(1, METALS + 1):
        direction = kinds.Horizontal if place % 2 else kinds.Vertical
        routing.addLayerGauge(
            kinds.create(
                technology.getLayer(f"metal{place}"),
                direction,
                kinds.PinOnly if place == 1 else kinds.Default,
                place - 1,
                0.0,
                u(0.0),
                u(site),
                u(0.3),
                u(0.3),
                u(0.2),
                u(0.0),
            )
        )
    framework.addRoutingGauge(routing)
    framework.setRoutingGauge(NAME)
    framework.addCellGauge(CellGauge.create(NAME, "metal1", u(site), u(row), u(site)))
    framework.setCellGauge(NAME)
    return routing.getLayerGauge(1)


def set_options():
    with CfgCache(priority=Cfg.Parameter.Priority.ConfigurationFile) as cfg:
        AllianceFramework.get().getEnvironment().setRegister("DFF.*")
        cfg.lefImport.minTerminalWidth = 0.0
        cfg.crlcore.groundName = "gnd"
        cfg.crlcore.powerName = "vdd"
        cfg.etesian.bloat = "disabled"
        cfg.etesian.uniformDensity = True
        cfg.etesian.routingDriven = False
        cfg.etesian.feedNames = "FILL"
        cfg.etesian.defaultFeed = "FILL"
        cfg.etesian.cell.zero = "FILL"
        cfg.etesian.cell.one = "FILL"
        cfg.etesian.effort = 2
        cfg.etesian.graphics = 3
        cfg.etesian.latchUpDistance = 0
        cfg.anabatic.routingGauge = NAME
        cfg.anabatic.cellGauge = NAME


def load_cells(lef):
    framework = AllianceFramework.get()
    library = Library.create(DataBase.getDB().getRootLibrary(), "cells")
    framework.wrapLibrary(library, 0)
    LefImport.setMergeLibrary(library)
    LefImport.load(lef)
    framework.wrapLibrary(library, 1)
    return library


def build(given, library, gauge, width, height):
    """The netlist with its ports at their places."""
    work = Library.create(DataBase.getDB().getRootLibrary(), "work")
    with UpdateSession():
        cell = Cell.create(work, NAME)
        for name, kind in (("vdd", Net.Type.POWER), ("gnd", Net.Type.GROUND)):
            supply = Net.create(cell, name)
            supply.setExternal(True)
            supply.setGlobal(True)
            supply.setType(kind)
        made = {
            name: Instance.create(cell, name, library.getCell(kind))
            for name, kind in given["cells"].items()
        }
        cell.setAbutmentBox(Box(0, 0, width, height))
        for place, ends in enumerate(given["nets"]):
            net = Net.create(cell, f"n{place}")
            for end in ends:
                if len(end) == 3:
                    add_port(net, gauge, width, height, *end)
                else:
                    pin = library.getCell(given["cells"][end[0]]).getNet(end[1])
                    made[end[0]].getPlug(pin).setNet(net)
    return cell, made


def add_port(net, gauge, width, height, name, x, bottom):
    net.setExternal(True)
    pin = Pin.create(
        net,
        name,
        Pin.Direction.SOUTH if bottom else Pin.Direction.NORTH,
        Pin.PlacementStatus.FIXED,
        gauge.getLayer(),
        u(x),
        0 if bottom else height,
        gauge.getWireWidth(),
        gauge.getWireWidth(),
    )
    NetExternalComponents.setExternal(pin)


def main():
    lef, source, target = sys.argv[1:]
    with open(source) as file:
        given = json.load(file)
    site, row = given["site_um"], given["row_um"]
    slice_um = round(-(-row // site) * site, 6)  # the next multiple
    technology = make_technology()
    gauge = make_gauges(technology, site, row)
    set_options()
    library = load_cells(lef)
    edge = u(given["edge_um"])
    width = u(given["sites"] * site) + 2 * edge
    ring = u(RING * row)
    height = u(-(-given["rows"] * slice_um // row) * row) + 2 * ring
    cell, made = build(given, library, gauge, width, height)
    placer = Etesian.EtesianEngine.create(cell)
    placer.setPlaceArea(Box(edge, ring, width - edge, height - ring))
    placer.place()
    placer.clearColoquinte()
    found = {}
    for name, instance in made.items():
        box = instance.getAbutmentBox()
        found[name] = (
            round((box.getXMin() - edge) / u(site)),
            round((box.getYMin() - ring) / u(slice_um)),
            str(instance.getTransformation().getOrientation()) == UPSIDE_DOWN,
        )
    with open(target, "w") as file:
        json.dump(found, file)


main()
