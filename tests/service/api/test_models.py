"""The list of models over HTTP."""

from prowess.model.presets import PRESETS
from prowess.service.api.schemas import leagues


def test_list_of_models_has_every_preset_and_only_parameters_that_can_be_set(ask):
    found = leagues.Models.model_validate(ask.get("/api/models", key=None).json())
    assert [one.name for one in found.models] == list(PRESETS)
    for one in found.models:
        model = PRESETS[one.name]()
        assert one.description
        for parameter in one.parameters:
            if parameter.default is not None:
                assert model.replace(**{parameter.name: parameter.default}).params[parameter.name] == parameter.default
