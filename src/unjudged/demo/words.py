"""The vocabularies of the demo collection: themes, their topics, and the subtopics of each topic.

A theme has words that any document on it may use. A topic has the words a person would search with. A subtopic has
the words of a text that really answers that side of the topic. Documents are mixed from these three and from
``EVERYDAY_WORDS``; see ``collection``.
"""

from __future__ import annotations

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


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _theme(name: str, words: str, *topics: Topic) -> Theme:
    return Theme(name, _words(words), topics)


def _topic(title: str, words: str, **subtopics: str) -> Topic:
    """Build a topic; each keyword is a subtopic's title with underscores for spaces, its value the words."""
    sides = (Subtopic(side.replace("_", " "), _words(side_words)) for side, side_words in subtopics.items())
    return Topic(title, _words(words), tuple(sides))


EVERYDAY_WORDS = _words(
    """the a of and to in for with on at by from as that this which when while often usually sometimes many most some
    people year day time place way part small large old new good first last early late long short well more less every
    other before after between under over near again always"""
)

THEMES = (
    _theme(
        "garden",
        "garden soil plant seed leaf root flower bed path fence shade sunlight water season grow green tool shed",
        _topic(
            "bees in winter",
            "bees winter hive beekeeper",
            feeding_the_colony="syrup fondant pollen honeycomb feeder",
            keeping_the_hive_warm="insulation draught cluster wrapping moisture",
            mites_and_disease="varroa mites treatment inspection brood",
        ),
        _topic(
            "growing tomatoes",
            "tomatoes growing ripe vine",
            sowing_and_planting_out="seedlings trays greenhouse hardening transplant",
            blight_and_rot="blight fungus spots blossom calcium",
        ),
        _topic(
            "making compost",
            "compost heap bin kitchen",
            what_to_put_in="peelings cardboard clippings eggshells manure",
            heat_and_turning="temperature fork aerate steaming layers",
            worms="worms wormery castings bedding burrow",
            smells_and_pests="odour rats flies lid lime",
        ),
        _topic(
            "pruning fruit trees",
            "pruning fruit trees branches",
            when_to_cut="dormant february midsummer frost sap",
            tools_and_cuts="secateurs loppers blade collar angle",
            shaping_young_trees="espalier leader scaffold stake spread",
        ),
        _topic(
            "ponds for wildlife",
            "pond wildlife frogs pool",
            digging_and_lining="liner excavate slope sand edging",
            water_plants="lilies hornwort oxygen marginal reeds",
            animals_that_visit="newts dragonflies tadpoles hedgehog heron",
            cleaning_and_algae="algae barley skimming silt net",
            safety_for_children="grille toddler shallow railing supervision",
        ),
    ),
    _theme(
        "sea",
        "sea coast shore wave wind salt harbour boat island beach cliff sand bay rope sail horizon gull water",
        _topic(
            "how tides work",
            "tides high low ocean",
            moon_and_sun="moon gravity orbit alignment spring",
            reading_tide_tables="almanac timetable chart datum gauge",
            power_from_tides="turbine barrage electricity generator lagoon",
        ),
        _topic(
            "lighthouse keepers",
            "lighthouse keepers lamp tower",
            daily_work="wick polishing logbook watch lens",
            change_to_machines="automation sensor remote solar retired",
        ),
        _topic(
            "protecting coral reefs",
            "coral reefs protecting reef",
            bleaching="bleaching heatwave algae pale acid",
            fishing_and_anchors="trawling anchor mooring quota dynamite",
            growing_new_coral="nursery fragments larvae graft restoration",
            visitors_and_divers="snorkel sunscreen tourists fins permit",
        ),
        _topic(
            "wooden boat repair",
            "wooden boat repair hull",
            finding_rot="rot probe soft damp survey",
            planks_and_frames="plank steaming rivet oak rib",
            sealing_the_seams="caulking cotton putty tar mallet",
        ),
        _topic(
            "whale migration",
            "whale migration whales route",
            where_they_go="arctic tropics calving lagoon latitude",
            following_them="satellite tag hydrophone song photograph",
            ships_and_nets="collision propeller entangled noise lane",
        ),
    ),
    _theme(
        "kitchen",
        "kitchen cook pot pan oven bowl spoon knife table taste salt recipe meal heat plate cup dough guest",
        _topic(
            "sourdough bread",
            "sourdough bread loaf flour",
            the_starter="starter feeding yeast jar bubbles",
            kneading_and_rest="gluten folding proving stretch overnight",
            baking="crust scoring dutch thermometer crackle",
        ),
        _topic(
            "storing food safely",
            "storing food safely storage",
            fridge_and_freezer="fridge freezer thaw shelf degrees",
            signs_of_spoiling="mould sour slime bulging discard",
        ),
        _topic(
            "brewing coffee",
            "coffee brewing brew beans",
            grinding="grinder burr coarse fine espresso",
            water_and_ratio="ratio grams kettle minerals filter",
            roasts_and_origins="roast arabica ethiopia altitude aroma",
            caffeine_and_health="caffeine sleep heartbeat pregnancy dose",
        ),
        _topic(
            "making cheese at home",
            "cheese home making milk",
            rennet_and_curds="rennet curds whey coagulate culture",
            pressing_and_ageing="press cellar rind wax humidity",
            soft_cheeses="ricotta cream draining muslin lemon",
        ),
        _topic(
            "cooking with beans",
            "beans cooking pulses dish",
            soaking="soaking rinse swell bicarbonate hours",
            protein_and_diet="protein fibre iron vegetarian vitamins",
            dishes_of_the_world="dal chilli hummus cassoulet feijoada",
            poison_in_raw_beans="toxin lectin boiling nausea undercooked",
            growing_your_own="trellis pods harvest sow drying",
        ),
    ),
    _theme(
        "town",
        "town street house road square shop bridge market park corner neighbour traffic council building station wall",
        _topic(
            "safe cycling routes",
            "cycling safe routes bicycle",
            separated_lanes="kerb bollard lane junction crossing",
            rules_and_lights="helmet reflector signal law fine",
            parking_and_theft="rack padlock stolen camera register",
        ),
        _topic(
            "trams and light rail",
            "trams rail light tramway",
            cost_of_building="budget tender overrun bonds subsidy",
            passengers_and_tickets="fare timetable crowded commuter pass",
        ),
        _topic(
            "old houses and heating",
            "heating houses old warm",
            insulating_walls="cladding cavity plaster loft wool",
            heat_pumps="compressor refrigerant radiator efficiency installer",
            windows_and_draughts="glazing shutter sash seal curtain",
            grants="grant application income voucher deadline",
        ),
        _topic(
            "street trees",
            "street trees planting city",
            choosing_kinds="plane linden maple drought hardy",
            roots_and_pavement="pavement trench pipes cracks grating",
            cooling_in_summer="canopy shade evaporation asphalt heatwave",
        ),
        _topic(
            "public libraries today",
            "libraries public library books",
            lending_more_than_books="drills instruments seeds games laptop",
            reading_for_children="storytime picture homework toddler puppet",
            money_and_closures="cuts volunteer petition budget branch",
            quiet_rooms_and_work="desk internet printer meeting silence",
            reading_for_the_blind="braille audio magnifier narrator screen",
        ),
    ),
    _theme(
        "mountain",
        "mountain valley hill rock snow trail peak ridge forest stream cloud stone hut ice storm view climb guide",
        _topic(
            "avalanche safety",
            "avalanche safety snow danger",
            reading_the_snow="slab layer crystals hoar pit",
            beacons_and_search="beacon transceiver probe shovel burial",
            forecasts="bulletin scale warning hazard daily",
        ),
        _topic(
            "mountain huts",
            "huts mountain hut overnight",
            booking_and_prices="booking deposit bunk member cash",
            water_and_waste="cistern toilet solar helicopter rubbish",
        ),
        _topic(
            "altitude sickness",
            "altitude sickness height illness",
            symptoms="headache dizzy vomiting swelling breathless",
            going_up_slowly="acclimatise camp schedule metres descend",
            medicine="acetazolamide tablet oxygen dose doctor",
            who_is_at_risk="asthma heart age pregnancy smoker",
        ),
        _topic(
            "wolves returning",
            "wolves returning wolf pack",
            sheep_and_dogs="sheep shepherd guard fence compensation",
            counting_wolves="tracks howling dna camera census",
            law_and_hunting="licence protected cull court treaty",
        ),
        _topic(
            "melting glaciers",
            "glaciers melting glacier ice",
            measuring_loss="stakes laser satellite volume retreat",
            rivers_and_farms="irrigation meltwater drought reservoir crops",
            floods_from_lakes="moraine outburst siren dam evacuate",
            what_the_ice_gives_back="mummy arrow seeds wreck archaeology",
            covering_the_ice="blanket fleece reflect resort summer",
        ),
    ),
)
