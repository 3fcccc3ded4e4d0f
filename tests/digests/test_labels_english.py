"""Labels of topics in English."""

import pytest

from digests.labels import TopicText
from tests.digests.topics_to_label import label_of, topic_in

TOPICS = [
    pytest.param(
        topic_in(
            "en",
            "Indian navy arrests pirates in Gulf of Aden | The navy arrested 23 pirates in the Gulf of Aden.",
            "Pirates handed over after arrest in the Gulf of Aden | The pirates were handed to Yemen by the navy.",
            places="gulf",
        ),
        "Gulf of Aden: pirates, navy",
        id="a name that goes on behind an of",
    ),
    pytest.param(
        topic_in(
            "en",
            "Magnitude 6.1 earthquake in Crete | An earthquake of magnitude 6.1 damaged the harbour.",
            "Crete: Magnitude 6.1 earthquake, harbour damaged | The earthquake of magnitude 6.1 was felt in Cairo.",
            places="crete",
        ),
        "Crete: magnitude 6.1 earthquake, harbour",
        id="a number is not cut at its point",
    ),
    pytest.param(
        topic_in(
            "en",
            "EU: 12.4-billion-euro rail plan for night trains | The 12.4-billion-euro plan is for night trains.",
            "Night trains and the 12.4-billion-euro rail plan | The rail plan of the EU is for trains.",
            organizations="eu",
        ),
        "EU: night trains, 12.4-billion-euro rail plan",
        id="nor before a hyphen",
    ),
    pytest.param(
        topic_in(
            "en",
            "Iran and US end second round of talks in Geneva | Negotiators spoke of guiding principles.",
            "Second round of nuclear talks ends in Geneva | The talks in Geneva will go on next month.",
            "Geneva talks: what comes after the second round | Diplomats left the talks hopeful.",
            places="geneva, iran, united states",
        ),
        "Geneva: talks, second round, Iran",
        id="a place before a phrase and a word",
    ),
    pytest.param(
        topic_in(
            "en",
            "Lagarde hints at lower interest rates | The central bank may cut interest rates in June.",
            "Christine Lagarde sees room for interest rate cuts | Inflation slowed, Lagarde told lawmakers.",
            "Inflation slows, Lagarde in no hurry | Christine Lagarde spoke of inflation and wages.",
            people="christine lagarde, lagarde",
        ),
        "Christine Lagarde: interest rates, inflation, hurry",
        id="the fullest form of a person that is common",
    ),
    pytest.param(
        topic_in(
            "en",
            "SpaceX launches Starship on ninth flight | The rocket lifted off in Texas.",
            "Starship explodes over the Gulf after SpaceX launch | The rocket broke up.",
            "SpaceX loses another Starship rocket | Debris fell into the sea.",
            organizations="spacex",
        ),
        "SpaceX: Starship, rocket, ninth flight",
        id="an organization in its own case",
    ),
    pytest.param(
        topic_in(
            "en",
            "Wildfires Force Thousands From Homes | Crews fought wildfires near the coast as strong winds blew.",
            "Strong Winds Fan Coastal Wildfires | The wildfires spread with strong winds.",
        ),
        "wildfires, strong winds, homes",
        id="headlines in title case make no capitals",
    ),
    pytest.param(
        topic_in(
            "en",
            "WILDFIRES FORCE THOUSANDS FROM HOMES | Crews fought wildfires as strong winds blew.",
            "STRONG WINDS FAN COASTAL WILDFIRES | The wildfires spread with strong winds.",
        ),
        "wildfires, strong winds, HOMES",
        id="headlines in capitals neither",
    ),
    pytest.param(
        topic_in(
            "en",
            "Cost of living payments to end in spring | Ministers say the cost of living has eased.",
            "Charities warn as cost of living help ends | Families still feel the cost of living.",
        ),
        "cost of living, payments, spring",
        id="an of inside a phrase",
    ),
    pytest.param(
        topic_in(
            "en",
            "Apple's new iPhone has a thinner frame | The iPhone goes on sale on Friday.",
            "Thinner iPhone unveiled by Apple | Apple showed the iPhone in California.",
            organizations="apple",
        ),
        "Apple: iPhone, thinner frame",
        id="a brand that begins with a small letter",
    ),
    pytest.param(
        topic_in(
            "en",
            "Reuters says strike at port goes on | The strike at the port of Rotterdam enters its third day.",
            "Port strike in Rotterdam drags on | Dockers in Rotterdam voted for the strike.",
            "Rotterdam dockers extend port strike | Reuters reports no talks.",
            places="rotterdam",
            sources="Reuters, Harbour Times, Reuters",
        ),
        "Rotterdam: port strike, dockers",
        id="never the source, never a verb of reporting",
    ),
    pytest.param(
        topic_in(
            "en",
            "Ukraine says drones hit refinery | The refinery in Russia burned after drones struck.",
            "Refinery burns after Ukrainian drones strike | Russian officials confirmed the fire.",
            "Drones set refinery ablaze | Ukraine said its drones did it.",
            places="ukraine, russia",
        ),
        "Ukraine: drones, refinery, ablaze",
        id="a country when nothing more telling is as frequent",
    ),
    pytest.param(
        topic_in(
            "en",
            "Israeli army enters northern town | Israeli troops moved in at dawn.",
            "Israeli troops search northern town | The army gave no reason.",
        ),
        "northern town, Israeli troops, army",
        id="a nationality is no entity",
    ),
    pytest.param(
        topic_in(
            "en",
            "Fannie Mae rules to change | Lawmakers want to close Fannie Mae.",
            "Bill would end Fannie Mae | Fannie Mae has profits again under the bill.",
            "Lawmakers split over bill on Fannie Mae | The bill faces the Senate.",
            people="fannie",
        ),
        "Fannie Mae: bill, lawmakers",
        id="the rest of a name that nearly always follows",
    ),
    pytest.param(
        topic_in(
            "en",
            "Wi-Fi 7 routers get cheaper | New Wi-Fi routers cost half as much.",
            "Cheaper Wi-Fi routers reach shops | Wi-Fi routers with the new chips are here.",
        ),
        "Wi-Fi, shops",
        id="words with hyphens stay whole",
    ),
    pytest.param(
        topic_in(
            "en",
            "E-cigarette ban passes | Lawmakers voted for the ban on e-cigarettes.",
            "Ban on e-cigarettes to start in May | The e-cigarettes ban covers flavours.",
        ),
        "e-cigarettes, ban",
        id="the commoner number of a word",
    ),
    pytest.param(
        topic_in(
            "en",
            "Monday's storm: what we know | The storm in January cut power for 12 hours.",
            "January storm leaves 12 towns without power | The storm came on Monday.",
        ),
        "storm, power, towns",
        id="no days, months and numbers alone",
    ),
    pytest.param(
        topic_in(
            "en",
            "Black Friday sales begin early | Shops expect a record Black Friday.",
            "Shops bet on early Black Friday | Black Friday is weeks away.",
        ),
        "Black Friday, shops, sales",
        id="a day within a phrase",
    ),
    pytest.param(
        topic_in(
            "en",
            "Angela Merkel publishes memoir | Merkel writes of her years in office.",
            "Merkel memoir tops lists | The memoir of Angela Merkel sold out.",
            people="angela merkel, merkel",
        ),
        "Angela Merkel: memoir, tops",
        id="first and last name of an entity are not repeated",
    ),
    pytest.param(
        topic_in(
            "en",
            "White House defends tariffs on steel | Steel tariffs took effect, the White House said.",
            "Steel makers cheer tariffs | Tariffs on steel help mills.",
            "Steel tariffs hit carmakers | Carmakers asked for relief.",
            organizations="white house",
        ),
        "steel tariffs, carmakers, makers",
        id="what less than half name is no entity",
    ),
    pytest.param(
        topic_in(
            "en",
            "UN warns of famine in Sudan | The UN said famine spread in Darfur.",
            "Famine spreads in Darfur, UN says | Sudan faces famine.",
            organizations="united nations",
            places="sudan, darfur",
        ),
        "Darfur: famine, Sudan, UN",
        id="several names",
    ),
    pytest.param(
        topic_in("en", "Brazil football star injured in car crash | He left the hospital.", places="brazil"),
        "Brazil: football star, car crash, hospital",
        id="one article: an entity in its title, pieces of the title",
    ),
    pytest.param(
        topic_in("en", "How to repot a cactus | Take a pot with holes. A cactus likes dry soil.", places="mexico"),
        "cactus, holes, pot",
        id="one article without an entity",
    ),
    pytest.param(
        topic_in("en", "What we saw and what you said"), "What we saw and what you said", id="no term but the title"
    ),
    pytest.param(
        topic_in(
            "en",
            "What they did, and why, and when, and where they will be going with it next, and how it came to be there",
        ),
        "What they did, and why, and when, and where they will be…",
        id="a long title is cut between words",
    ),
    pytest.param(
        topic_in(
            "en",
            "Kenya's Kipchoge runs marathon record in Berlin | Eliud Kipchoge ran through Berlin.",
            "Kipchoge breaks own marathon record | In Berlin Eliud Kipchoge took 30 seconds off.",
            "Berlin marathon: Kipchoge's record | The race was fast.",
            people="eliud kipchoge, kipchoge",
            places="berlin, kenya",
        ),
        "Eliud Kipchoge: marathon record, Berlin, Kenya",
        id="a second place becomes a term",
    ),
    pytest.param(
        topic_in(
            "en",
            "Study finds coffee protects liver | Researchers followed coffee drinkers for years.",
            "Coffee good for the liver, study suggests | The study looked at liver health.",
        ),
        "coffee, liver, study",
        id="three words",
    ),
    pytest.param(
        topic_in(
            "en",
            "Windows 11 update breaks printers | Microsoft is fixing Windows 11 printers.",
            "Printers fail after Windows 11 update | Microsoft blamed Windows 11 drivers.",
            organizations="microsoft",
        ),
        "Microsoft: Windows 11 update, printers, breaks",
        id="a number that belongs to a name",
    ),
    pytest.param(
        topic_in(
            "en",
            "Apple shows new chips | The chips are made by TSMC for Apple.",
            "New chips from Apple | Chips by TSMC are faster.",
            "Apple chips made by TSMC | The chips are small.",
            organizations="apple, tsmc",
            sources="Apple, Chip Weekly, Chip Daily",
        ),
        "Apple: chips, TSMC",
        id="a source that others tell of",
    ),
]


@pytest.mark.parametrize(("topic", "expected"), TOPICS)
def test_is_what_a_reader_would_write(topic: TopicText, expected: str) -> None:
    assert label_of(topic) == expected
