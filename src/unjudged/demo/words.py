"""The vocabularies of the demo collection: themes, their topics, and the subtopics of each topic.

A theme has words that any document on it may use. A topic has the words a person would search with. A subtopic has
the words of a text that really answers that side of the topic. Documents are mixed from these three and from
``EVERYDAY_WORDS``; see ``collection``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["EVERYDAY_WORDS", "THEMES", "Subtopic", "Theme", "Topic"]


@dataclass(frozen=True)
class Subtopic:
    """One side of a topic, with the words that only texts about it use."""

    title: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Topic:
    """What a person wants to know, the words they would search with, and its sides."""

    title: str
    words: tuple[str, ...]
    subtopics: tuple[Subtopic, ...]


@dataclass(frozen=True)
class Theme:
    """A field of life that several topics belong to."""

    name: str
    words: tuple[str, ...]
    topics: tuple[Topic, ...]


_EVERYDAY = """
the a of and to in for with on at by from as that this which when while often usually sometimes many most some people
year day time place way part small large old new good first last early late long short well more less every other before
after between under over near again always
"""
_OUTLINE = """\
garden: garden soil plant seed leaf root flower bed path fence shade sunlight water season grow green tool shed
  bees in winter: bees winter hive beekeeper
    feeding the colony: syrup fondant pollen honeycomb feeder
    keeping the hive warm: insulation draught cluster wrapping moisture
    mites and disease: varroa mites treatment inspection brood
  growing tomatoes: tomatoes growing ripe vine
    sowing and planting out: seedlings trays greenhouse hardening transplant
    blight and rot: blight fungus spots blossom calcium
  making compost: compost heap bin kitchen
    what to put in: peelings cardboard clippings eggshells manure
    heat and turning: temperature fork aerate steaming layers
    worms: worms wormery castings bedding burrow
    smells and pests: odour rats flies lid lime
  pruning fruit trees: pruning fruit trees branches
    when to cut: dormant february midsummer frost sap
    tools and cuts: secateurs loppers blade collar angle
    shaping young trees: espalier leader scaffold stake spread
  ponds for wildlife: pond wildlife frogs pool
    digging and lining: liner excavate slope sand edging
    water plants: lilies hornwort oxygen marginal reeds
    animals that visit: newts dragonflies tadpoles hedgehog heron
    cleaning and algae: algae barley skimming silt net
    safety for children: grille toddler shallow railing supervision

sea: sea coast shore wave wind salt harbour boat island beach cliff sand bay rope sail horizon gull water
  how tides work: tides high low ocean
    moon and sun: moon gravity orbit alignment spring
    reading tide tables: almanac timetable chart datum gauge
    power from tides: turbine barrage electricity generator lagoon
  lighthouse keepers: lighthouse keepers lamp tower
    daily work: wick polishing logbook watch lens
    change to machines: automation sensor remote solar retired
  protecting coral reefs: coral reefs protecting reef
    bleaching: bleaching heatwave algae pale acid
    fishing and anchors: trawling anchor mooring quota dynamite
    growing new coral: nursery fragments larvae graft restoration
    visitors and divers: snorkel sunscreen tourists fins permit
  wooden boat repair: wooden boat repair hull
    finding rot: rot probe soft damp survey
    planks and frames: plank steaming rivet oak rib
    sealing the seams: caulking cotton putty tar mallet
  whale migration: whale migration whales route
    where they go: arctic tropics calving lagoon latitude
    following them: satellite tag hydrophone song photograph
    ships and nets: collision propeller entangled noise lane

kitchen: kitchen cook pot pan oven bowl spoon knife table taste salt recipe meal heat plate cup dough guest
  sourdough bread: sourdough bread loaf flour
    the starter: starter feeding yeast jar bubbles
    kneading and rest: gluten folding proving stretch overnight
    baking: crust scoring dutch thermometer crackle
  storing food safely: storing food safely storage
    fridge and freezer: fridge freezer thaw shelf degrees
    signs of spoiling: mould sour slime bulging discard
  brewing coffee: coffee brewing brew beans
    grinding: grinder burr coarse fine espresso
    water and ratio: ratio grams kettle minerals filter
    roasts and origins: roast arabica ethiopia altitude aroma
    caffeine and health: caffeine sleep heartbeat pregnancy dose
  making cheese at home: cheese home making milk
    rennet and curds: rennet curds whey coagulate culture
    pressing and ageing: press cellar rind wax humidity
    soft cheeses: ricotta cream draining muslin lemon
  cooking with beans: beans cooking pulses dish
    soaking: soaking rinse swell bicarbonate hours
    protein and diet: protein fibre iron vegetarian vitamins
    dishes of the world: dal chilli hummus cassoulet feijoada
    poison in raw beans: toxin lectin boiling nausea undercooked
    growing your own: trellis pods harvest sow drying

town: town street house road square shop bridge market park corner neighbour traffic council building station wall
  safe cycling routes: cycling safe routes bicycle
    separated lanes: kerb bollard lane junction crossing
    rules and lights: helmet reflector signal law fine
    parking and theft: rack padlock stolen camera register
  trams and light rail: trams rail light tramway
    cost of building: budget tender overrun bonds subsidy
    passengers and tickets: fare timetable crowded commuter pass
  old houses and heating: heating houses old warm
    insulating walls: cladding cavity plaster loft wool
    heat pumps: compressor refrigerant radiator efficiency installer
    windows and draughts: glazing shutter sash seal curtain
    grants: grant application income voucher deadline
  street trees: street trees planting city
    choosing kinds: plane linden maple drought hardy
    roots and pavement: pavement trench pipes cracks grating
    cooling in summer: canopy shade evaporation asphalt heatwave
  public libraries today: libraries public library books
    lending more than books: drills instruments seeds games laptop
    reading for children: storytime picture homework toddler puppet
    money and closures: cuts volunteer petition budget branch
    quiet rooms and work: desk internet printer meeting silence
    reading for the blind: braille audio magnifier narrator screen

mountain: mountain valley hill rock snow trail peak ridge forest stream cloud stone hut ice storm view climb guide
  avalanche safety: avalanche safety snow danger
    reading the snow: slab layer crystals hoar pit
    beacons and search: beacon transceiver probe shovel burial
    forecasts: bulletin scale warning hazard daily
  mountain huts: huts mountain hut overnight
    booking and prices: booking deposit bunk member cash
    water and waste: cistern toilet solar helicopter rubbish
  altitude sickness: altitude sickness height illness
    symptoms: headache dizzy vomiting swelling breathless
    going up slowly: acclimatise camp schedule metres descend
    medicine: acetazolamide tablet oxygen dose doctor
    who is at risk: asthma heart age pregnancy smoker
  wolves returning: wolves returning wolf pack
    sheep and dogs: sheep shepherd guard fence compensation
    counting wolves: tracks howling dna camera census
    law and hunting: licence protected cull court treaty
  melting glaciers: glaciers melting glacier ice
    measuring loss: stakes laser satellite volume retreat
    rivers and farms: irrigation meltwater drought reservoir crops
    floods from lakes: moraine outburst siren dam evacuate
    what the ice gives back: mummy arrow seeds wreck archaeology
    covering the ice: blanket fleece reflect resort summer
"""
"""A theme and its words; indented, its topics and their words; indented twice, a topic's subtopics and theirs."""


def _read(line: str) -> tuple[str, tuple[str, ...]]:
    title, words = line.strip().split(": ")
    return title, tuple(words.split())


def _topic(lines: str) -> Topic:
    first, *subtopics = lines.split("\n")
    return Topic(*_read(first), tuple(Subtopic(*_read(one)) for one in subtopics))


def _theme(lines: str) -> Theme:
    first, *topics = re.split(r"\n  (?! )", lines)
    return Theme(*_read(first), tuple(map(_topic, topics)))


EVERYDAY_WORDS = tuple(_EVERYDAY.split())
THEMES = tuple(map(_theme, _OUTLINE.strip().split("\n\n")))
